import { type RawBuilder, sql } from 'kysely'
import type { Millis } from '../core/clock.ts'

/** As `credible` of `core/clock.ts`, of a column: whether its moment has come, or lies further ahead than its kind allows. */
export function hasCome(column: string, now: Millis, longest: Millis): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(column)} <= ${now} or ${sql.ref(column)} > ${now + longest})`
}
