import type { Millis } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import type { Id } from '../core/id.ts'
import type { Tx } from '../db/database.ts'
import { literal } from '../db/literal.ts'
import type { Written } from './bytes.ts'

/** Bytes that are there, and that no row refers to yet. */
export interface PendingBlob extends Written {
  id: Id<'blob'>
  organizationId: Id<'organization'>
}

/** Notes that bytes are about to be written, so that they are known, also where the process dies. */
export async function beginBlob(
  tx: Tx,
  { id, organizationId }: Pick<PendingBlob, 'id' | 'organizationId'>,
  now: Millis,
): Promise<void> {
  const moments = { created_at: now, updated_at: now }
  const row = {
    id,
    organization_id: organizationId,
    state: 'pending' as const,
    size: 0,
    sha256: '',
    ...moments,
  }
  await tx.insertInto('blob').values(row).execute()
}

/**
 * Keeps bytes, in the transaction of the row that refers to them. Whoever sweeps takes a pending blob by changing its row,
 * as this does: one of the two comes first, and the other finds it changed.
 * @param most how many bytes the organization may have; null: any number
 * @throws ApiError FORBIDDEN `too_much_stored`; PROCESSING_FAILED where they were swept, because all this took an hour
 */
export async function keepBlob(
  tx: Tx,
  { id, organizationId, size, sha256 }: PendingBlob,
  most: number | null,
  now: Millis,
): Promise<void> {
  const kept = await tx
    .updateTable('blob')
    .set({ state: 'kept', size, sha256, updated_at: now })
    .where('id', '=', id)
    .where('state', '=', literal('pending'))
    .returning('id')
    .executeTakeFirst()
  if (kept === undefined) throw new ApiError('PROCESSING_FAILED', { reason: 'blob_missing' })
  const stored = await addStored(tx, organizationId, size)
  if (most !== null && stored > most)
    throw new ApiError('FORBIDDEN', { reason: 'too_much_stored', limit: most })
}

/** Lets go of bytes, in the transaction in which nothing refers to them any more; they are removed after it. */
export async function dropBlob(tx: Tx, id: Id<'blob'>, now: Millis): Promise<void> {
  const row = await tx
    .updateTable('blob')
    .set({ state: 'orphaned', updated_at: now })
    .where('id', '=', id)
    .where('state', '=', literal('kept'))
    .returning(['organization_id', 'size'])
    .executeTakeFirst()
  if (row !== undefined) await addStored(tx, row.organization_id, -row.size)
  else await abandonBlob(tx, id, now)
}

/** Lets go of all bytes of an organization. */
export async function dropBlobs(tx: Tx, organizationId: Id<'organization'>, now: Millis): Promise<void> {
  await tx
    .updateTable('blob')
    .set({ state: 'orphaned', updated_at: now })
    .where('organization_id', '=', organizationId)
    .where('state', '!=', 'orphaned')
    .execute()
  await tx.deleteFrom('storage').where('organization_id', '=', organizationId).execute()
}

/** Lets go of bytes that no row came to refer to. */
export async function abandonBlob(tx: Tx, id: Id<'blob'>, now: Millis): Promise<void> {
  await tx
    .updateTable('blob')
    .set({ state: 'orphaned', updated_at: now })
    .where('id', '=', id)
    .where('state', '=', literal('pending'))
    .execute()
}

/** @returns how many there are then */
async function addStored(tx: Tx, organizationId: Id<'organization'>, bytes: number): Promise<number> {
  const { bytes: stored } = await tx
    .insertInto('storage')
    .values({ organization_id: organizationId, bytes })
    .onConflict((conflict) =>
      conflict.column('organization_id').doUpdateSet(({ ref, eb }) => ({
        bytes: eb(ref('storage.bytes'), '+', bytes),
      })),
    )
    .returning('bytes')
    .executeTakeFirstOrThrow()
  return Number(stored)
}
