import { audit, type Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import { endAdministration } from './end-administration.ts'
import { endEntry } from './end-entry.ts'
import { endKeysOf } from './end-keys.ts'
import { keepAdministrator } from './keep-administrator.ts'
import { lockAccount } from './lock-account.ts'

/**
 * Shuts an account out until it is enabled again: its sessions, links and codes end, and its
 * pending invitations. Its memberships stay.
 *
 * active --disable--> disabled --enable--> active
 *
 * @param force also the last administrator of an organization
 * @param endKeys also the API keys that it made or rotated
 * @returns whether it was active
 * @throws ApiError FORBIDDEN `last_administrator`
 */
export async function disableAccount(
  tx: Tx,
  trail: Trail,
  { id }: { id: Id<'account'> },
  { force, endKeys }: { force: boolean; endKeys: boolean },
): Promise<boolean> {
  const account = await lockAccount(tx, id)
  if (endKeys) await endKeysOf(tx, trail, id)
  // An inactive account cannot be disabled: enabling would make it active without an invitation.
  if (account?.status !== 'active') return false
  const organizations = await organizationsOf(tx, id)
  if (!force) for (const organizationId of organizations) await keepAdministrator(tx, organizationId, id)
  // The lock waits for transactions that rest on one of these memberships, so that the statements below see their rows.
  await lock(tx, tx.selectFrom('membership').select('role').where('account_id', '=', id)).execute()
  await tx
    .updateTable('account')
    .set({ status: 'disabled', updated_at: trail.now })
    .where('id', '=', id)
    .execute()
  // A mailed link or a key would let its holder in again once the account is enabled.
  await endEntry(tx, trail, id)
  for (const organizationId of organizations)
    await endAdministration(tx, trail, { organizationId, accountId: id, actorId: null })
  await audit(tx, trail, { action: 'account.disabled', accountId: id, targetId: id })
  return true
}

/** The organizations of an account, in the order in which several of them are locked. */
export async function organizationsOf(tx: Tx, accountId: Id<'account'>): Promise<Id<'organization'>[]> {
  const rows = await tx
    .selectFrom('membership')
    .select('organization_id')
    .where('account_id', '=', accountId)
    .orderBy('organization_id')
    .execute()
  return rows.map(({ organization_id }) => organization_id)
}
