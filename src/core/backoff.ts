import { MINUTE, type Millis } from './clock.ts'

/** Where `notBefore` is after the horizon, the last attempt is due this long before the horizon: at the horizon it would be too late. */
export const MARGIN: Millis = MINUTE

/** A failed attempt and its retry schedule. */
interface FailedAttempt {
  /** The waits after each failure, in milliseconds; the last one repeats until the horizon. */
  waits: readonly Millis[]
  /** Attempts so far, including the failed one: 1 or more. */
  attempts: number
  /** When the failed attempt ended. */
  now: Millis
  /** The last moment at which an attempt may start. */
  horizon: Millis
  /** The receiver's `Retry-After`. It can lengthen a wait, but never cancels the last attempt. */
  notBefore?: Millis | undefined
}

/** @returns when the next attempt is due; undefined when no further one may start */
export function nextAttemptAt({
  waits,
  attempts,
  now,
  horizon,
  notBefore = 0,
}: FailedAttempt): Millis | undefined {
  const earliest = now + waitAfter(waits, attempts)
  if (earliest > horizon) return undefined
  return Math.max(earliest, Math.min(notBefore, horizon - MARGIN))
}

/**
 * @param failures failed attempts so far
 * @returns the wait after the last of them, in milliseconds; 0 without a failure, and where `waits` is empty
 */
export function waitAfter(waits: readonly Millis[], failures: number): Millis {
  if (failures === 0) return 0
  return waits[Math.min(failures, waits.length) - 1] ?? 0
}
