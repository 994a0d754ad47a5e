import type { Id } from '../core/id.ts'
import type { Tx } from '../db/database.ts'

/**
 * Removes the journal of an organization; open streams end with their readers' rights. Deletes changes and stream in
 * the order in which writers lock the two.
 */
export async function endStreams(tx: Tx, id: Id<'organization'>): Promise<void> {
  await tx.deleteFrom('stream').where('organization_id', '=', id).execute()
}
