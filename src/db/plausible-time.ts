import { type RawBuilder, sql } from 'kysely'
import { type Millis, SKEW } from '../core/clock.ts'

/** `plausible` of `core/clock.ts`, of a column: whether its moment has come, or lies further ahead than its kind allows. */
export function isDue(column: string, now: Millis, longest: Millis): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(column)} <= ${now} or ${sql.ref(column)} > ${now + longest + SKEW})`
}

/** As `plausible`: the moment of a column, or `now` where it lies further ahead than its kind allows. */
export function plausibleMoment(column: string, now: Millis, longest: Millis): RawBuilder<Millis> {
  return sql<Millis>`case when ${sql.ref(column)} > ${now + longest + SKEW} then ${now} else ${sql.ref(column)} end`
}

/** The opposite of `isDue`: the moment is still to come, and its kind allows it. */
export function isPending(column: string, now: Millis, longest: Millis): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(column)} > ${now} and ${sql.ref(column)} <= ${now + longest + SKEW})`
}
