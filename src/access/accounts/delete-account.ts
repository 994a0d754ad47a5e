import { audit, type Trail } from '../../audit/audit.ts'
import type { Tx } from '../../db/database.ts'
import type { Publish } from '../../delivery/publish/publish.ts'
import { deleteMails } from '../../mail/outbox.ts'
import type { Account } from './accounts.ts'
import { organizationsOf } from './disable-account.ts'
import { endKeysOf } from './end-keys.ts'
import { endMembership } from './end-membership.ts'
import { lockAccount } from './lock-account.ts'

/**
 * Removes an account with its sessions, memberships, identities, tokens, invitations and mails. Its entries in the audit log stay under its
 * id. The address can be invited again, as a new account.
 * @param force also the last administrator of an organization
 * @param endKeys also the API keys that it made or rotated
 * @throws ApiError FORBIDDEN `last_administrator`
 */
export async function deleteAccount(
  tx: Tx,
  publish: Publish,
  trail: Trail,
  { id, email }: Pick<Account, 'id' | 'email'>,
  { force, endKeys }: { force: boolean; endKeys: boolean },
): Promise<void> {
  await lockAccount(tx, id)
  if (endKeys) await endKeysOf(tx, trail, id)
  const organizations = await organizationsOf(tx, id)
  for (const organizationId of organizations)
    await endMembership(tx, publish, trail, { organizationId, accountId: id, actorId: null, force })
  await deleteMails(tx, { recipient: email })
  await tx.deleteFrom('mail_request').where('email', '=', email).execute()
  // SCIM users of the address are deleted, so that their directories get a 404 for them. A SCIM user that is linked with another account
  // stays, because its deprovisioning must end the access of that account.
  await tx
    .deleteFrom('scim_user')
    .where((where) =>
      where.or([
        where('account_id', '=', id),
        where.and([where('email', '=', email), where('account_id', 'is', null)]),
      ]),
    )
    .execute()
  await tx.deleteFrom('account').where('id', '=', id).execute()
  // The entry has no `accountId`, because the row is deleted.
  const entry = { action: 'account.deleted', targetId: id } as const
  for (const organizationId of organizations) await audit(tx, trail, { ...entry, organizationId })
  if (organizations.length === 0) await audit(tx, trail, entry)
}
