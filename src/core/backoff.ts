import { MINUTE, type Millis } from './clock.ts'

/** How long before the horizon the last attempt is due where `notBefore` reaches beyond it: an attempt at the horizon would be too late. */
export const MARGIN: Millis = MINUTE

/** An attempt that has failed, and its schedule. */
interface FailedAttempt {
  /** The waits after each failure, in milliseconds; the last one repeats until the horizon. */
  waits: readonly Millis[]
  /** Attempts made so far, the one that has just failed included: 1 or more. */
  attempts: number
  /** When that one ended. */
  now: Millis
  /** The last moment at which an attempt may start. */
  horizon: Millis
  /** The other side's own wish (`Retry-After`), which can lengthen a wait, but not take the last attempt away. */
  notBefore?: Millis | undefined
}

/** @returns when the next attempt is due; undefined when none may start any more */
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
 * @param failures failed attempts so far, 1 or more
 * @returns the wait after the last of them, in milliseconds; 0 where `waits` is empty
 */
export function waitAfter(waits: readonly Millis[], failures: number): Millis {
  return waits[Math.min(failures, waits.length) - 1] ?? 0
}
