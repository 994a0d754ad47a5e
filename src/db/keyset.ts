import { type RawBuilder, sql } from 'kysely'

/**
 * The condition of keyset pagination: rows after a given one in the order of two columns.
 * @param names the column of the order, and one that makes it unique
 * @param after the last row of the previous page; undefined for the first page
 */
export function keysetAfter<Name extends string>(
  [first, second]: readonly [Name, Name],
  after: Readonly<Record<Name, unknown>> | undefined,
): RawBuilder<boolean> {
  if (after === undefined) return sql<boolean>`true`
  return sql<boolean>`(${sql.ref(first)}, ${sql.ref(second)}) > (${after[first]}, ${after[second]})`
}
