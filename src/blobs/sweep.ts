import { HOUR, type Millis } from '../core/clock.ts'
import { forEachDespiteErrors } from '../core/for-each-despite-errors.ts'
import type { Id } from '../core/id.ts'
import type { Database } from '../db/database.ts'
import { literal } from '../db/literal.ts'
import type { Bytes } from './bytes.ts'

/** No request takes so long from the first byte to its commit. */
const ABANDONED: Millis = HOUR
/** Blobs of one step. */
const SOME = 100

interface Swept {
  database: Database
  bytes: Bytes
  now: Millis
}

/**
 * Removes bytes without a reference: orphaned ones, and those whose upload died. The row is marked as orphaned first, then
 * the bytes are removed, then the row, so that the next sweep finishes after a crash.
 * @throws the first error of a blob whose bytes could not be removed, after all others
 */
export async function sweepBlobs({ database, bytes, now }: Swept, isOver = () => false): Promise<void> {
  await database.tx((tx) =>
    tx
      .updateTable('blob')
      .set({ state: 'orphaned', updated_at: now })
      .where('state', '=', literal('pending'))
      .where((where) =>
        where.or([where('updated_at', '<', now - ABANDONED), where('updated_at', '>', now + ABANDONED)]),
      )
      .execute(),
  )
  const failures: unknown[] = []
  let [last, isAway] = ['' as Id<'blob'>, false]
  while (!isOver() && !isAway) {
    const orphans = await database.db
      .selectFrom('blob')
      .select('id')
      .where('state', '=', literal('orphaned'))
      .where('id', '>', last)
      .orderBy('id')
      .limit(SOME)
      .execute()
    if (orphans.length === 0) break
    last = orphans.at(-1)?.id ?? last
    const removed = await removeEach({ database, bytes }, orphans, (error) => failures.push(error))
    // A blob that cannot be removed holds up no other. Where none of a page can be, the storage is away.
    isAway = removed === 0
  }
  if (failures.length > 0) throw failures[0]
}

/**
 * Removes the bytes of orphaned blobs, and then their rows.
 * @param failed gets the errors of blobs whose bytes could not be removed
 * @returns how many were removed
 */
export async function removeEach(
  { database, bytes }: Pick<Swept, 'database' | 'bytes'>,
  orphans: { id: Id<'blob'> }[],
  failed: (error: unknown) => void,
): Promise<number> {
  const removed: Id<'blob'>[] = []
  async function removeOne({ id }: { id: Id<'blob'> }): Promise<void> {
    await bytes.remove(id)
    removed.push(id)
  }
  await forEachDespiteErrors(orphans, removeOne, failed)
  if (removed.length > 0)
    await database.relaxed((tx) =>
      tx.deleteFrom('blob').where('id', 'in', removed).where('state', '=', literal('orphaned')).execute(),
    )
  return removed.length
}
