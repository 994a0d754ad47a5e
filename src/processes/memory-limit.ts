import { readFile } from 'node:fs/promises'
import { type Clock, type Millis, repeat } from '../core/clock.ts'

const INTERVAL: Millis = 100

/**
 * Watches the resident memory of a process. Node's limits cover only the heap, and buffers are outside of it. On other systems than
 * Linux nothing is watched.
 * @param onAbove called when the process occupies more than `mostMb`
 * @returns stops the watch
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
