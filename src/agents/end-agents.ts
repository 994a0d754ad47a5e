import type { Id } from '../core/id.ts'
import type { Tx } from '../db/database.ts'

/** Deletes all agents, runs and conversations of an organization; processes that step its runs lose their claims. */
export async function endAgents(tx: Tx, id: Id<'organization'>): Promise<void> {
  await tx.deleteFrom('conversation').where('organization_id', '=', id).execute()
  await tx.deleteFrom('agent').where('organization_id', '=', id).execute()
}
