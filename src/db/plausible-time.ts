import { type RawBuilder, sql } from 'kysely'
import { type Millis, SKEW } from '../core/clock.ts'

/** `plausible` (`core/clock.ts`) in SQL: whether the moment of a column has passed, or is further ahead than its kind allows. */
export function isDue(column: string, now: Millis, longest: Millis): RawBuilder<boolean> {
  return isOutside(column, now, latestPlausible(now, longest))
}

/** `isDue` for a prepared statement. @param latest the parameter of `latestPlausible` */
export function isOutside(column: string, now: Millis, latest: Millis): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(column)} <= ${now} or ${sql.ref(column)} > ${latest})`
}

/** The latest plausible moment of a kind that lies at most `longest` ahead. */
export function latestPlausible(now: Millis, longest: Millis): Millis {
  return now + longest + SKEW
}

/** `plausible` in SQL: the moment of a column, or `now` where it is further ahead than its kind allows. */
export function plausibleMoment(column: string, now: Millis, longest: Millis): RawBuilder<Millis> {
  return sql<Millis>`case when ${sql.ref(column)} > ${now + longest + SKEW} then ${now} else ${sql.ref(column)} end`
}

/** The opposite of `isDue`: the moment is in the future, within the limit of its kind. */
export function isPending(column: string, now: Millis, longest: Millis): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(column)} > ${now} and ${sql.ref(column)} <= ${now + longest + SKEW})`
}
