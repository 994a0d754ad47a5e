import type { Id } from '../core/id.ts'
import type { Tx } from '../db/database.ts'
import { forgetFlows } from '../oauth/flow-state.ts'

/** Forgets every connection of an organization, and those that are being made. */
export async function endConnections(tx: Tx, id: Id<'organization'>): Promise<void> {
  await tx.deleteFrom('connection').where('organization_id', '=', id).execute()
  await forgetFlows(tx, id)
}
