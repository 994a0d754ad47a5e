import { SECOND, stopwatch } from '../core/clock.ts'

/** The terminal, npm and bin/postern.js may each pass on the same signal: within this time it is one. */
const ECHO = SECOND

/** Resolves at the first signal to end; a second one, meant, ends the process at once. */
export function signalled(): Promise<void> {
  return new Promise((resolve) => {
    let sinceFirst: (() => number) | undefined
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (sinceFirst !== undefined && sinceFirst() > ECHO) {
          process.removeAllListeners(signal)
          process.kill(process.pid, signal)
        }
        sinceFirst ??= stopwatch()
        resolve()
      })
    }
  })
}
