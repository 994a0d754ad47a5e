import type { Id } from '../core/id.ts'
import type { Tx } from '../db/database.ts'

/**
 * Removes the journal of an organization; streams that are open end by the rights of their readers. The changes
 * are deleted with their stream, in the order in which a writer of them locks the two.
 */
export async function endStreams(tx: Tx, id: Id<'organization'>): Promise<void> {
  await tx.deleteFrom('stream').where('organization_id', '=', id).execute()
}
