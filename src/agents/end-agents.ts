import type { Id } from '../core/id.ts'
import type { Tx } from '../db/database.ts'

/** Deletes every agent of an organization with its runs, and every conversation; the processes that step its runs lose them. */
export async function endAgents(tx: Tx, id: Id<'organization'>): Promise<void> {
  await tx.deleteFrom('conversation').where('organization_id', '=', id).execute()
  await tx.deleteFrom('agent').where('organization_id', '=', id).execute()
}
