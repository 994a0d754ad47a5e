import type { Schedule } from '../config/backup-schedule.ts'
import type { Millis } from '../core/clock.ts'

/** The last moment of the schedule that has come. */
export function lastDue({ period, at }: Schedule, now: Millis): Millis {
  const begun = now - (now % period)
  const today = at.findLast((one) => begun + one <= now)
  return today === undefined ? begun - period + (at.at(-1) ?? 0) : begun + today
}

/** The first moment of the schedule that is to come. */
export function nextDue({ period, at }: Schedule, now: Millis): Millis {
  const begun = now - (now % period)
  const today = at.find((one) => begun + one > now)
  return today === undefined ? begun + period + (at[0] ?? 0) : begun + today
}
