import type { Schedule } from '../config/backup-schedule.ts'
import type { Millis } from '../core/clock.ts'

/** The last time of the schedule that is not after `now`. */
export function lastDue({ period, at }: Schedule, now: Millis): Millis {
  const begun = now - (now % period)
  const today = at.findLast((one) => begun + one <= now)
  return today === undefined ? begun - period + (at.at(-1) ?? 0) : begun + today
}

/** The first time of the schedule after `now`. */
export function nextDue({ period, at }: Schedule, now: Millis): Millis {
  const begun = now - (now % period)
  const today = at.find((one) => begun + one > now)
  return today === undefined ? begun + period + (at[0] ?? 0) : begun + today
}
