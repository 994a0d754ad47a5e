import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Changes how the kernel of Linux treats a process; part of util-linux. */
const CHRT = '/usr/bin/chrt'

/**
 * Has a process run only while nobody else of this program wants a processor: what wakes up goes before it at once, and not
 * after the few milliseconds that one of a lower priority still has. Where the system knows no such thing, nothing changes.
 */
export function putLastOfAll(pid: number): void {
  if (process.platform !== 'linux' || !existsSync(CHRT)) return
  const changing = spawn(CHRT, ['-a', '-i', '-p', '0', String(pid)], { env: {}, stdio: 'ignore' })
  changing.on('error', () => {})
  changing.unref()
}
