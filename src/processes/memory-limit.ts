import { readFile } from 'node:fs/promises'
import { type Clock, type Millis, repeat } from '../core/clock.ts'

const INTERVAL: Millis = 100

/**
 * Watches how much memory a process really occupies, which no limit of Node's covers: a buffer is outside of its heap.
 * Where the system does not tell, nothing is watched.
 * @param onAbove is called once it occupies more than `mostMb`
 * @returns what ends the watch
 */
export function watchMemory(clock: Clock, pid: number, mostMb: number, onAbove: () => void): () => void {
  if (process.platform !== 'linux') return () => {}
  async function check(): Promise<void> {
    const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '')
    const [, kilobytes = 0] = /^VmRSS:\s+(\d+) kB/m.exec(status) ?? []
    if (Number(kilobytes) > mostMb * 1024) onAbove()
  }
  return repeat(clock, INTERVAL, check)
}
