import { type Millis, SECOND } from '../../core/clock.ts'

/**
 * How many calls a second a destination takes, as its owner has said (`maxPerSecond`): the moment at which the next call
 * would fall, if they came evenly (the generic cell rate algorithm).
 */
export interface Rate {
  /** null: it has not been said. */
  readonly perSecond: number | null
  readonly nextAt: Millis
}

export const NO_RATE: Rate = { perSecond: null, nextAt: Number.NEGATIVE_INFINITY }

/** Calls may come so much before their even moment: no timer is finer. */
const EARLY: Millis = 20

/** Until when the next call must wait; undefined when it may go now. */
export function rateHolds({ perSecond, nextAt }: Rate, now: Millis): Millis | undefined {
  if (perSecond === null || nextAt - EARLY <= now) return undefined
  // A clock that was set back holds nobody longer than a call's own time.
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

/** The rate that its owner says now; what was called before still counts. */
export function withRate(rate: Rate, perSecond: number | null): Rate {
  return rate.perSecond === perSecond ? rate : { ...rate, perSecond }
}
