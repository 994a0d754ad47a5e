import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/**
 * The scope in which a process number is unique: the host, the boot of its kernel and the process namespace; undefined where the
 * system does not tell. The host name separates machines whose kernels report the same boot.
 */
function readHome(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${hostname()} ${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return undefined
  }
}

const HOME = readHome()

/** Identifies this process, so that others on its machine can check it; null where they cannot. */
export const THIS_PROCESS: string | null = HOME === undefined ? null : `${process.pid} ${HOME}`

/**
 * Whether a process has certainly ended. A process of another machine or container may live, and so may one whose number
 * another process has taken.
 */
export function hasProcessEnded(name: string): boolean {
  const [, pid = '', home] = /^([1-9]\d{0,9}) (.*)$/s.exec(name) ?? []
  if (home === undefined || home !== HOME) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return (error as { code?: string }).code === 'ESRCH'
  }
}
