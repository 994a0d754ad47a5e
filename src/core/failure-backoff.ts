import { waitAfter } from './backoff.ts'
import type { Millis } from './clock.ts'

/** The cause of an attempt: an authenticated caller, or an unauthenticated client. */
export type CausedBy = 'caller' | 'stranger'

/**
 * Backs off failing work for unauthenticated clients. After a failure their calls get the same error without an attempt until a pause
 * is over, and concurrent calls share one attempt. Authenticated callers always attempt. A success ends the pause.
 * @param waits the pauses after each consecutive failure, in milliseconds; the last one repeats
 */
export function withFailureBackoff<T>(
  waits: readonly Millis[],
  work: (now: Millis) => Promise<T>,
): (now: Millis, by: CausedBy) => Promise<T> {
  let failed: { error: unknown; count: number; at: Millis } | undefined
  let underWay: Promise<T> | undefined

  async function attempt(now: Millis): Promise<T> {
    const before = failed
    try {
      const done = await work(now)
      failed = undefined
      return done
    } catch (error) {
      // Concurrent attempts count as one failure.
      if (failed === before) failed = { error, count: (before?.count ?? 0) + 1, at: now }
      throw error
    }
  }

  return (now, by) => {
    // A failure in the future was recorded by a wrong clock, and counts only within the pause.
    const rests = failed !== undefined && Math.abs(now - failed.at) < waitAfter(waits, failed.count)
    if (failed !== undefined && rests && by === 'stranger') return Promise.reject(failed.error)
    if (underWay !== undefined && by === 'stranger') return underWay
    const attempted = attempt(now).finally(() => {
      if (underWay === attempted) underWay = undefined
    })
    underWay = attempted
    return attempted
  }
}
