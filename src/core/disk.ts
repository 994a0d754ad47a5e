import { existsSync, statfsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Error codes of a write without room: full disk, used-up quota, or a file above the size limit of this user. */
const NO_ROOM = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** A disk with fewer free bytes is full. */
const FEW = 1024 * 1024

/** The disk of a file or folder had no room for a write. */
export class FullDiskError extends Error {
  override readonly name = 'FullDiskError'
  readonly file: string
  constructor(file: string, options?: ErrorOptions) {
    super(fullDiskMessage(file), options)
    this.file = file
  }
}

/** Whether a write failed for lack of room. */
export function isFullDisk(error: unknown): boolean {
  return NO_ROOM.has((error as NodeJS.ErrnoException | null)?.code ?? '') || error instanceof FullDiskError
}

/** @returns the bytes that this user may still write on the disk of a path; undefined where the system does not report them */
export function freeBytes(path: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(nearest(resolve(path)))
    return bavail * bsize
  } catch {
    return undefined
  }
}

/**
 * The error message for a disk without room. The free bytes tell a full disk from a limit of this user.
 * @param path of the file or folder to be written
 * @param otherwise the alternative to making room
 */
export function fullDiskMessage(path: string, otherwise = 'set another DATA_DIR'): string {
  return `${fullDiskSentence(path)} Make room on it, or ${otherwise}.`
}

/** The first sentence of `fullDiskMessage`. */
export function fullDiskSentence(path: string): string {
  const free = freeBytes(path)
  if (free === undefined) return `The disk of ${path} is full.`
  const limited = free < FEW ? '' : '; ulimit -f or a quota may keep them from this user'
  return `The disk of ${path} is full (${free} bytes free${limited}).`
}

/**
 * Runs a write, and adds the file's name to its error, because the system's error of a write lacks it.
 * @param setting the setting that names the folder of the file
 * @throws the system's own error, with `path` and `setting`
 */
export function withFileName<T>(file: string, setting: string, write: () => T): T {
  try {
    return write()
  } catch (error) {
    throw Object.assign(error as NodeJS.ErrnoException, { path: file, setting })
  }
}

function nearest(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearest(dirname(path))
}
