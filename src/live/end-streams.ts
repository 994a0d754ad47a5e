import type { Id } from '../core/id.ts'
import type { Tx } from '../db/database.ts'

/** Forgets what was kept for whoever watches an organization; streams that are open end by the rights of their readers. */
export async function endStreams(tx: Tx, id: Id<'organization'>): Promise<void> {
  await tx.deleteFrom('stream_change').where('organization_id', '=', id).execute()
  await tx.deleteFrom('stream').where('organization_id', '=', id).execute()
}
