import type { Database, Db, Tx } from '../db/database.ts'
import { joinWriters, lockTable } from '../db/locking.ts'

/** The row of `meta` with the base URL of the server's links. */
export const SERVED_AT = 'served_at'

/** The row of `meta` with the address that all rows were moved to. A database with it is not served. */
export const MOVED_TO = 'moved_to'

/** Writes a fact about the database into its row of `meta`, if it has changed. */
export async function keepFact(database: Database, key: string, value: string): Promise<void> {
  if ((await findFact(database.db, key)) === value) return
  await database.tx((tx) => writeFact(tx, key, value))
}

async function writeFact(tx: Tx, key: string, value: string): Promise<void> {
  await tx
    .insertInto('meta')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute()
}

/**
 * Replaces all facts of a database.
 * @param kept keys of facts that stay as they are
 */
export async function replaceFacts(
  database: Database,
  facts: ReadonlyMap<string, string>,
  kept: ReadonlySet<string>,
): Promise<void> {
  await database.tx(async (tx) => {
    await tx
      .deleteFrom('meta')
      .where('key', 'not in', [...kept])
      .execute()
    for (const [key, value] of facts)
      if (!kept.has(key)) await tx.insertInto('meta').values({ key, value }).execute()
  })
}

/**
 * Marks a database as moved. The mark waits for open transactions of commands (`whileInPlace`), and later ones are refused.
 * @param meanwhile runs before the commit of the mark; a snapshot taken there contains all writes of commands,
 * but not the mark
 */
export async function markMoved(
  database: Database,
  to: string,
  meanwhile: () => Promise<void>,
): Promise<void> {
  await database.tx(async (tx) => {
    await lockTable(tx, 'meta')
    await writeFact(tx, MOVED_TO, to)
    await meanwhile()
  })
}

/** The database for a command, which refuses transactions after the move. @param refusal makes the error from the new place */
export function whileInPlace(database: Database, refusal: (to: string) => Error): Database {
  return {
    ...database,
    tx: (work) =>
      database.tx(async (tx) => {
        await joinWriters(tx, 'meta')
        const movedTo = await findFact(tx, MOVED_TO)
        if (movedTo !== undefined) throw refusal(movedTo)
        return work(tx)
      }),
  }
}

/** Removes a fact. */
export async function endFact(database: Database, key: string): Promise<void> {
  await database.tx((tx) => tx.deleteFrom('meta').where('key', '=', key).execute())
}

/** @returns the fact in a row of `meta`; undefined where there is none */
export async function findFact(db: Db | Tx, key: string): Promise<string | undefined> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst()
  return row?.value
}
