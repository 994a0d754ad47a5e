import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import { deleteMails } from '../../mail/outbox.ts'
import { providersOf } from './end-provider-entry.ts'

/**
 * Locks the rows on which invitations, keys and rights of an organization rest: waits for transactions that make some, and holds
 * up new ones. Platform keys are few, and make something in every organization.
 */
export async function lockAccess(tx: Tx, id: Id<'organization'>): Promise<void> {
  await lock(tx, tx.selectFrom('membership').select('role').where('organization_id', '=', id)).execute()
  await lock(tx, tx.selectFrom('platform_key').select('id').orderBy('id')).execute()
  await lock(tx, tx.selectFrom('api_key').select('id').where('organization_id', '=', id)).execute()
}

/** Ends all access to an organization: memberships, keys, grants, clients and invitations. The caller has called `lockAccess`. */
export async function endAccess(tx: Tx, id: Id<'organization'>): Promise<void> {
  await deleteMails(tx, { share: id })
  await tx.deleteFrom('invitation').where('organization_id', '=', id).execute()
  await tx.deleteFrom('api_key').where('organization_id', '=', id).execute()
  await tx.deleteFrom('ended_key').where('organization_id', '=', id).execute()
  await tx.deleteFrom('oauth_grant').where('organization_id', '=', id).execute()
  await tx.deleteFrom('oauth_client').where('organization_id', '=', id).execute()
  await tx.deleteFrom('service_account').where('organization_id', '=', id).execute()
  await tx.deleteFrom('membership').where('organization_id', '=', id).execute()
  await tx.deleteFrom('scim_group_member').where('organization_id', '=', id).execute()
  await tx.deleteFrom('scim_group').where('organization_id', '=', id).execute()
  await tx.deleteFrom('scim_user').where('organization_id', '=', id).execute()
  await tx.deleteFrom('scim_exchange').where('organization_id', '=', id).execute()
  await tx.deleteFrom('scim_setting').where('organization_id', '=', id).execute()
  await tx.deleteFrom('role').where('organization_id', '=', id).execute()
  await tx.deleteFrom('identity').where('provider', 'in', providersOf(tx, id)).execute()
  // The sessions of the providers are deleted by the foreign key.
  await tx.deleteFrom('identity_provider').where('organization_id', '=', id).execute()
  await tx.deleteFrom('setup_link').where('organization_id', '=', id).execute()
  await tx.deleteFrom('domain').where('organization_id', '=', id).execute()
  await tx.deleteFrom('former_member').where('organization_id', '=', id).execute()
}
