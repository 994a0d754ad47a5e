import { HOUR, type Millis } from '../core/clock.ts'
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
  let last = '' as Id<'blob'>
  while (!isOver()) {
    const orphans = await database.db
      .selectFrom('blob')
      .select('id')
      .where('state', '=', literal('orphaned'))
      .where('id', '>', last)
      .orderBy('id')
      .limit(SOME)
      .execute()
    if (orphans.length === 0) return
    last = orphans.at(-1)?.id ?? last
    await removeBlobs(
      { database, bytes },
      orphans.map(({ id }) => id),
    )
  }
}

/** Removes the bytes of orphaned blobs, and then their rows. */
export async function removeBlobs(
  { database, bytes }: Pick<Swept, 'database' | 'bytes'>,
  ids: Id<'blob'>[],
): Promise<void> {
  const removed: Id<'blob'>[] = []
  for (const id of ids) {
    await bytes.remove(id)
    removed.push(id)
  }
  if (removed.length === 0) return
  await database.relaxed((tx) =>
    tx.deleteFrom('blob').where('id', 'in', removed).where('state', '=', literal('orphaned')).execute(),
  )
}
