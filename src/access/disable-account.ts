import type { Id } from '../core/id.ts'
import type { Tx } from '../db/database.ts'
import { audit, type Trail } from '../http/audit.ts'
import { type Account, listMemberships } from './accounts.ts'
import { keepAdministrator } from './keep-administrator.ts'
import { endSessions } from './sessions.ts'

/**
 * Shuts an account out until it is enabled again: its sessions end, its memberships stay.
 *
 * active --disable--> disabled --enable--> active
 *
 * @param force also the last administrator of an organization
 * @returns whether it was active
 * @throws ApiError FORBIDDEN `last_administrator`
 */
export async function disableAccount(
  tx: Tx,
  trail: Trail,
  account: Pick<Account, 'id'>,
  { force }: { force: boolean },
): Promise<boolean> {
  if (!force) await keepEveryAdministrator(tx, account.id)
  const disabled = await tx
    .updateTable('account')
    .set({ status: 'disabled', updated_at: trail.now })
    .where('id', '=', account.id)
    // An inactive account cannot be disabled: enabling would make it active without an invitation.
    .where('status', '=', 'active')
    .returning('id')
    .executeTakeFirst()
  if (disabled === undefined) return false
  await endSessions(tx, account.id)
  // A link that is on its way would let it in again once it is enabled, whoever holds it then.
  await tx.deleteFrom('one_time_token').where('account_id', '=', account.id).execute()
  await audit(tx, trail, { action: 'account.disabled', accountId: account.id, targetId: account.id })
  return true
}

/** @throws ApiError FORBIDDEN `last_administrator` when any organization of the account would have none left */
export async function keepEveryAdministrator(tx: Tx, accountId: Id<'account'>): Promise<void> {
  for (const organization of await listMemberships(tx, accountId)) {
    await keepAdministrator(tx, organization.id, accountId)
  }
}
