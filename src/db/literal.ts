import { type RawBuilder, sql } from 'kysely'

/**
 * A constant that is written into the statement instead of being bound: SQLite uses a partial index only where
 * it reads the index's own condition in the query.
 */
export function literal<const T extends string | number>(value: T): RawBuilder<T> {
  return sql.lit(value)
}
