import { DAY, type Millis, toDate } from '../../core/clock.ts'
import type { Cycle } from '../../core/plans.ts'

/** From `start` (inclusive) to `end` (exclusive). */
interface Span {
  start: Millis
  end: Millis
}

/** Days in a cycle of fixed length; cycles of months end on a date. */
const DAYS: Partial<Record<Cycle, number>> = { day: 1, week: 7 }
const MONTHS: Partial<Record<Cycle, number>> = { month: 1, year: 12 }

/**
 * The cycle that holds `now`, counted from `anchor` in UTC. A cycle that would begin on a day that its month lacks
 * begins on the month's last day, and the next one on the anchor's day again: 31 January, 28 February, 31 March. Before
 * the anchor, which only a clock that was set back shows, it is the first cycle.
 */
export function cycleAt(anchor: Millis, unit: Cycle, now: Millis): Span {
  const days = DAYS[unit]
  const begin = (index: number): Millis =>
    days === undefined ? monthsLater(anchor, index * (MONTHS[unit] ?? 1)) : anchor + index * days * DAY
  let index = Math.max(
    0,
    days === undefined ? monthsBetween(anchor, now, unit) : wholeDays(anchor, now, days),
  )
  // The estimate by month numbers is one too high until the day of the month is reached.
  if (index > 0 && begin(index) > now) index -= 1
  return { start: begin(index), end: begin(index + 1) }
}

function wholeDays(anchor: Millis, now: Millis, days: number): number {
  return Math.floor((now - anchor) / (days * DAY))
}

function monthsBetween(anchor: Millis, now: Millis, unit: Cycle): number {
  const [from, to] = [toDate(anchor), toDate(now)]
  const months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth()
  return Math.floor(months / (MONTHS[unit] ?? 1))
}

function monthsLater(anchor: Millis, count: number): Millis {
  const from = toDate(anchor)
  const [year, month] = [from.getUTCFullYear(), from.getUTCMonth() + count]
  // Day 0 of the next month is the last day of the month.
  const lastDay = toDate(toDate(0).setUTCFullYear(year, month + 1, 0)).getUTCDate()
  return toDate(anchor).setUTCFullYear(year, month, Math.min(from.getUTCDate(), lastDay))
}
