import { type Clock, type Millis, SECOND } from '../../core/clock.ts'
import { createFairLimiter } from '../../core/fair-limiter.ts'

/**
 * A job in which this many processes have died is a suspect. Any job under way may have caused the deaths, so from then on each
 * suspect begins alone.
 */
export const SUSPECT_FROM = 2

/** After this time the next suspect may begin although the previous one still runs. */
const LONGEST_ALONE: Millis = 10 * SECOND

/**
 * Lets the suspects of a process, of all kinds, begin one at a time, so that a death of the process shows which of them is the
 * cause. Other jobs do not wait.
 */
export interface Suspects {
  /**
   * Waits until no other suspect runs alone. Organizations take turns.
   * @returns a function that lets the next suspect begin, which may be called again; undefined when the process stops
   */
  enter(organizationId: string): Promise<(() => void) | undefined>
  /** Ends all waits; no further suspect begins. */
  stop(): void
}

export function createSuspects(clock: Pick<Clock, 'after'>): Suspects {
  const place = createFairLimiter<string>(1)
  const stopping = new AbortController()
  return {
    async enter(organizationId) {
      const leave = await place.enter(organizationId, stopping.signal).catch(() => undefined)
      if (leave === undefined) return undefined
      const cancel = clock.after(LONGEST_ALONE, leave)
      return () => {
        cancel()
        leave()
      }
    },
    stop: () => stopping.abort(),
  }
}
