import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/**
 * Where the number of a process means that process: one run of one kernel, and the namespace of its processes. The name of
 * the machine tells apart those whose kernels say the same. undefined where the system does not tell.
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

/** This process, so that others on its machine can ask after it; null where they cannot. */
export const THIS_PROCESS: string | null = HOME === undefined ? null : `${process.pid} ${HOME}`

/**
 * Whether a process has ended, for certain: one on another machine, or in a container of its own, may live, and one whose
 * number another has by now is taken to.
 */
export function hasEnded(name: string): boolean {
  const [, pid = '', home] = /^([1-9]\d{0,9}) (.*)$/s.exec(name) ?? []
  if (home === undefined || home !== HOME) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return (error as { code?: string }).code === 'ESRCH'
  }
}
