import { audit, type Trail } from '../audit/audit.ts'
import type { Tx } from '../db/database.ts'
import { lock } from '../db/locking.ts'
import type { Tables } from '../db/tables/tables.ts'

type Organization = Pick<Tables['organization'], 'id' | 'name'>

/**
 * Ends everything that an organization has, so that nobody comes in, nothing is sent and nothing is paid any more. Its
 * row stays without its name: the ledger, paid checkouts and the audit log are kept, and tell whose they were. Done again, it
 * ends what was made by somebody who was let in just before.
 */
export async function endOrganization(tx: Tx, trail: Trail, { id, name }: Organization): Promise<void> {
  const { now } = trail
  const first = await tx
    .updateTable('organization')
    .set({ name: id, flags: '{}', deleted_at: now })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  await endAccess(tx, id)
  await endWebhooks(tx, id, now)
  await endBilling(tx, id, now)
  await tx.deleteFrom('connection').where('organization_id', '=', id).execute()
  await tx.deleteFrom('connection_state').where('organization_id', '=', id).execute()
  if (first !== undefined)
    await audit(tx, trail, {
      action: 'organization.deleted',
      organizationId: id,
      targetId: id,
      details: { name },
    })
}

async function endAccess(tx: Tx, id: Organization['id']): Promise<void> {
  // Whoever invites or makes a key right now is waited for, and it is taken along.
  await lock(tx, tx.selectFrom('membership').select('role').where('organization_id', '=', id)).execute()
  await lock(tx, tx.selectFrom('api_key').select('id').where('organization_id', '=', id)).execute()
  const invitations = tx.selectFrom('invitation').select('id').where('organization_id', '=', id)
  await tx.deleteFrom('mail').where('invitation_id', 'in', invitations).execute()
  await tx.deleteFrom('invitation').where('organization_id', '=', id).execute()
  await tx.deleteFrom('api_key').where('organization_id', '=', id).execute()
  await tx.deleteFrom('membership').where('organization_id', '=', id).execute()
}

/** What was published goes with time, as from a webhook that was deleted. */
async function endWebhooks(tx: Tx, id: Organization['id'], now: number): Promise<void> {
  const webhooks = tx.selectFrom('webhook').select('id').where('organization_id', '=', id)
  await tx.deleteFrom('webhook_secret').where('webhook_id', 'in', webhooks).execute()
  await tx.deleteFrom('capture').where('webhook_id', 'in', webhooks).execute()
  await tx
    .updateTable('replay')
    .set({ status: 'cancelled', updated_at: now })
    .where('organization_id', '=', id)
    .where('status', '=', 'running')
    .execute()
  await tx
    .updateTable('webhook')
    .set({ status: 'deleted', endpoint_path: null, updated_at: now })
    .where('organization_id', '=', id)
    .where('status', '!=', 'deleted')
    .execute()
  await tx.deleteFrom('event_type').where('organization_id', '=', id).execute()
}

/** A running server tells the provider that a subscription has ended. */
async function endBilling(tx: Tx, id: Organization['id'], now: number): Promise<void> {
  await tx
    .updateTable('subscription')
    .set({ status: 'ending', updated_at: now })
    .where('organization_id', '=', id)
    .where('status', '=', 'active')
    .execute()
  await tx
    .updateTable('checkout')
    .set({ status: 'expired' })
    .where('organization_id', '=', id)
    .where('status', '=', 'open')
    .execute()
  await tx.deleteFrom('reservation').where('organization_id', '=', id).execute()
  await tx.deleteFrom('credit_account').where('organization_id', '=', id).execute()
}
