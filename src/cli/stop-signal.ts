import { constants } from 'node:os'
import { SECOND, stopwatch } from '../core/clock.ts'

/** The terminal, npm and bin/postern.js may each forward one signal: within this time they count as one. */
const ECHO = SECOND

/**
 * Resolves at the first signal to stop. A second signal ends the process at once.
 * @param atOnce called before the second one ends the process
 */
export function stopSignal(atOnce: () => void): Promise<void> {
  return new Promise((resolve) => {
    let sinceFirst: (() => number) | undefined
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (sinceFirst !== undefined && sinceFirst() > ECHO) {
          atOnce()
          process.removeAllListeners(signal)
          process.kill(process.pid, signal)
          // The first process of a container is not ended by a signal that it does not handle.
          process.exit(128 + constants.signals[signal])
        }
        sinceFirst ??= stopwatch()
        resolve()
      })
    }
  })
}
