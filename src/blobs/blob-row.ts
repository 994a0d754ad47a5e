import type { Millis } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import type { Id } from '../core/id.ts'
import type { Tx } from '../db/database.ts'
import { literal } from '../db/literal.ts'
import type { WrittenBlob } from './blob-storage.ts'

/** Stored bytes without a reference yet. */
export interface PendingBlob extends WrittenBlob {
  id: Id<'blob'>
  organizationId: Id<'organization'>
}

/** Writes the row before the bytes, so that the sweep finds them after a crash. */
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
 * Makes bytes permanent, in the transaction of the row that refers to them. This and the sweep both change the row of a
 * pending blob, so the second of them finds it changed.
 * @param most the limit of bytes of the organization; null: none
 * @throws ApiError FORBIDDEN `too_much_stored`; PROCESSING_FAILED where the sweep removed them after an hour
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

/** Marks bytes as orphaned, in the transaction that removes the last reference; the sweep removes them later. */
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

/** Marks all bytes of an organization as orphaned. */
export async function dropBlobs(tx: Tx, organizationId: Id<'organization'>, now: Millis): Promise<void> {
  await tx
    .updateTable('blob')
    .set({ state: 'orphaned', updated_at: now })
    .where('organization_id', '=', organizationId)
    .where('state', '!=', 'orphaned')
    .execute()
  await tx.deleteFrom('storage').where('organization_id', '=', organizationId).execute()
}

/** Marks pending bytes as orphaned. */
export async function abandonBlob(tx: Tx, id: Id<'blob'>, now: Millis): Promise<void> {
  await tx
    .updateTable('blob')
    .set({ state: 'orphaned', updated_at: now })
    .where('id', '=', id)
    .where('state', '=', literal('pending'))
    .execute()
}

/** @returns the new number of bytes */
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
