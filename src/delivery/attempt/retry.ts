import { DAY, MINUTE, type Millis, SECOND } from '../../core/clock.ts'

/** The waits of specification 8; the last one repeats until the horizon (decisions: webhooks, schedule). */
export const WAITS: readonly Millis[] = [SECOND, 5 * SECOND, 30 * SECOND, 5 * MINUTE, 30 * MINUTE]

/** An attempt may start until 24 hours after the event (specification 8). */
export const HORIZON: Millis = DAY

/** How long before the horizon the last attempt is due where `Retry-After` reaches beyond it: an attempt at the horizon would be too late. */
export const MARGIN: Millis = MINUTE

export interface Wait {
  /** Attempts made so far, the one that has just failed included: 1 or more. */
  attempts: number
  /** When that one ended. */
  now: Millis
  /** The last moment at which an attempt may start. */
  horizon: Millis
  /** A destination's own wish (`Retry-After`), which can lengthen a wait, but not take the last attempt away. */
  notBefore?: Millis | undefined
}

/** When the next attempt is due; undefined when none may start any more. */
export function nextAttemptAt({ attempts, now, horizon, notBefore = 0 }: Wait): Millis | undefined {
  const earliest = now + waitAfter(attempts)
  if (earliest > horizon) return undefined
  return Math.max(earliest, Math.min(notBefore, horizon - MARGIN))
}

function waitAfter(attempts: number): Millis {
  return WAITS[Math.min(attempts, WAITS.length) - 1] as Millis
}
