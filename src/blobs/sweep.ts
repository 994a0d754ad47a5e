import { HOUR, type Millis } from '../core/clock.ts'
import { forEachDespiteErrors } from '../core/for-each-despite-errors.ts'
import type { Id } from '../core/id.ts'
import type { Database } from '../db/database.ts'
import { literal } from '../db/literal.ts'
import type { BlobStorage } from './blob-storage.ts'

/** Age above which a pending blob counts as abandoned: no request takes this long from its first byte to its commit. */
const ABANDONED: Millis = HOUR
/** Blobs of one step. */
const SOME = 100

interface SweepDeps {
  database: Database
  bytes: BlobStorage
  now: Millis
}

/**
 * Removes blobs without a reference: orphaned ones, and those of interrupted uploads. It marks the row as orphaned,
 * removes the bytes, then the row, so that the next sweep can continue after a crash.
 * @throws the first error of a blob whose bytes could not be removed, after all others
 */
export async function sweepBlobs({ database, bytes, now }: SweepDeps, isOver = () => false): Promise<void> {
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
    // One failing blob does not stop the others. Where a whole page fails, the storage is unavailable.
    isAway = removed === 0
  }
  if (failures.length > 0) throw failures[0]
}

/**
 * Removes the bytes of orphaned blobs, and then their rows.
 * @param failed receives the errors of blobs whose bytes could not be removed
 * @returns how many were removed
 */
export async function removeEach(
  { database, bytes }: Pick<SweepDeps, 'database' | 'bytes'>,
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
