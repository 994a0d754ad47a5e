import { type RawBuilder, sql } from 'kysely'

/**
 * The rows behind one in the order of two columns, for reading page after page.
 * @param names the column of the order, and one that makes it unique
 * @param after the last row of the page before; every row is behind undefined
 */
export function keysetAfter<Name extends string>(
  [first, second]: readonly [Name, Name],
  after: Readonly<Record<Name, unknown>> | undefined,
): RawBuilder<boolean> {
  if (after === undefined) return sql<boolean>`true`
  return sql<boolean>`(${sql.ref(first)}, ${sql.ref(second)}) > (${after[first]}, ${after[second]})`
}
