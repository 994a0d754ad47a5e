import { audit, type Trail } from '../audit/audit.ts'
import type { Id } from '../core/id.ts'
import type { Tx } from '../db/database.ts'
import { forgetFlows, forgetFlowsOf } from '../oauth/flow-state.ts'

/** Forgets every connection of an organization, and those that are being made. */
export async function endConnections(tx: Tx, id: Id<'organization'>): Promise<void> {
  await tx.deleteFrom('connection').where('organization_id', '=', id).execute()
  await forgetFlows(tx, id)
}

/** Forgets the connections that some accounts and keys made in an organization, and those that they are making. */
export async function endConnectionsMadeBy(
  tx: Tx,
  trail: Trail,
  {
    organizationId,
    makers,
    actorId,
  }: { organizationId: Id<'organization'>; makers: string[]; actorId: string },
): Promise<void> {
  await forgetFlowsOf(tx, organizationId, makers)
  const ended = await tx
    .deleteFrom('connection')
    .where('organization_id', '=', organizationId)
    .where('created_by', 'in', makers)
    .returning(['id', 'provider'])
    .execute()
  for (const { id, provider } of ended)
    await audit(tx, trail, {
      action: 'connection.deleted',
      organizationId,
      actorId,
      targetId: id,
      details: { provider, because: 'maker' },
    })
}
