import { execFileSync } from 'node:child_process'

/** A file system of a limited size, in memory, over a folder. */
export interface SmallDisk {
  /** @param kib the size from now on, in KiB */
  resize(kib: number): void
  /** From now on it can only be read, by any user. */
  protect(): void
  remove(): void
}

/**
 * Mounts a small disk over a folder that exists.
 * @param kib its size in KiB
 * @returns undefined where none can be made: that takes Linux, root and the right to mount
 */
export function mountSmallDisk(folder: string, kib: number): SmallDisk | undefined {
  const mount = (options: string) =>
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'pipe' })
  try {
    mount(`size=${kib}k`)
  } catch {
    return undefined
  }
  return {
    resize: (size) => void mount(`remount,size=${size}k`),
    protect: () => void mount('remount,ro'),
    remove: () => void execFileSync('umount', ['-l', folder]),
  }
}
