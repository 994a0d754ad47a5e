import type { Id } from '../core/id.ts'
import type { Tx } from '../db/database.ts'

/**
 * Removes the journal of an organization; streams that are open end by the rights of their readers. The changes
 * go with their stream, as who writes them has it in hand first.
 */
export async function endStreams(tx: Tx, id: Id<'organization'>): Promise<void> {
  await tx.deleteFrom('stream').where('organization_id', '=', id).execute()
}
