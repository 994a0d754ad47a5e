import type { Millis } from '../../core/clock.ts'
import type { Db, Tx } from '../../db/database.ts'
import { prepared } from '../../db/engine/prepared.ts'

/** The most kinds of imported hashes, because each refused sign-in computes all of them. */
const MOST_KINDS = 4

const selectKinds = prepared<object>()((db) =>
  db.selectFrom('imported_hash_kind').select('kind').orderBy('kind'),
)

/** The kinds of hashes that were imported. */
export async function findHashKinds(db: Db | Tx): Promise<string[]> {
  return (await selectKinds(db, {})).map(({ kind }) => kind)
}

/** Adds the kinds of hashes of an import, up to the limit. @returns the kinds that are known then */
export async function addHashKinds(tx: Tx, wanted: Set<string>, now: Millis): Promise<Set<string>> {
  const known = new Set(await findHashKinds(tx))
  const added = [...wanted].filter((kind) => !known.has(kind)).slice(0, Math.max(0, MOST_KINDS - known.size))
  if (added.length > 0)
    await tx
      .insertInto('imported_hash_kind')
      .values(added.map((kind) => ({ kind, created_at: now })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  return known.union(new Set(added))
}
