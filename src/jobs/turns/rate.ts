import { type Millis, SECOND } from '../../core/clock.ts'

/**
 * The rate limit of a destination (`maxPerSecond`), by the generic cell rate algorithm: the moment at which the next call is due
 * when calls come evenly.
 */
export interface Rate {
  /** null: no limit. */
  readonly perSecond: number | null
  readonly nextAt: Millis
}

export const NO_RATE: Rate = { perSecond: null, nextAt: Number.NEGATIVE_INFINITY }

/** A call may begin this much before its moment, because timers are no finer. */
const EARLY: Millis = 20

/** Until when the next call waits; undefined when it may begin now. */
export function rateHolds({ perSecond, nextAt }: Rate, now: Millis): Millis | undefined {
  if (perSecond === null || nextAt - EARLY <= now) return undefined
  // After the clock was set back, a call waits one interval at most.
  return Math.min(nextAt - EARLY, now + SECOND / perSecond)
}

/** The rate after a call that begins now. */
export function afterCall(rate: Rate, now: Millis): Rate {
  const { perSecond } = rate
  if (perSecond === null) return rate
  const every = SECOND / perSecond
  const nextAt = Math.min(rate.nextAt, now + every + EARLY)
  return { perSecond, nextAt: Math.max(now, nextAt) + every }
}

/** The rate with a new limit; earlier calls still count. */
export function withRate(rate: Rate, perSecond: number | null): Rate {
  return rate.perSecond === perSecond ? rate : { ...rate, perSecond }
}
