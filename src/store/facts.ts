import type { Database, Db, Tx } from '../db/database.ts'

/** The row of `meta` with the address that links of the server lead to. */
export const SERVED_AT = 'served_at'

/** The row of `meta` with the place that all rows were moved to: what is left is no longer served. */
export const MOVED_TO = 'moved_to'

/** Writes a fact about the database into its row of `meta`, if it has changed. */
export async function keepFact(database: Database, key: string, value: string): Promise<void> {
  if ((await findFact(database.db, key)) === value) return
  await database.tx((tx) =>
    tx
      .insertInto('meta')
      .values({ key, value })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
      .execute(),
  )
}

/** @returns the fact in a row of `meta`; undefined where there is none */
export async function findFact(db: Db | Tx, key: string): Promise<string | undefined> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst()
  return row?.value
}
