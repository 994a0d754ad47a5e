import { type RawBuilder, sql } from 'kysely'

/**
 * A constant in the text of a statement instead of a parameter: SQLite only uses a partial index where the query contains the index's
 * condition.
 */
export function literal<const T extends string | number>(value: T): RawBuilder<T> {
  return sql.lit(value)
}
