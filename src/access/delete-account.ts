import type { Tx } from '../db/database.ts'
import { audit, type Trail } from '../http/audit.ts'
import type { Publish } from '../webhooks/publish.ts'
import { type Account, listMemberships } from './accounts.ts'
import { keepEveryAdministrator } from './disable-account.ts'
import { revokeInvitationsOf } from './invitations.ts'

/**
 * Removes an account and what is its own: sessions, memberships, identities, tokens, invitations, mails. What it
 * did stays in the audit log under its id. The address can be invited again, and is then somebody new.
 * @param force also the last administrator of an organization
 * @throws ApiError FORBIDDEN `last_administrator`
 */
export async function deleteAccount(
  tx: Tx,
  publish: Publish,
  trail: Trail,
  { id, email }: Pick<Account, 'id' | 'email'>,
  { force }: { force: boolean },
): Promise<void> {
  if (!force) await keepEveryAdministrator(tx, id)
  const organizations = await listMemberships(tx, id)
  for (const organization of organizations) {
    await revokeInvitationsOf(tx, organization.id, id, trail.now)
    await publish(tx, trail.now, {
      organizationId: organization.id,
      type: 'member.removed',
      data: { accountId: id },
    })
  }
  await tx.deleteFrom('mail').where('recipient', '=', email).execute()
  await tx.deleteFrom('mail_request').where('email', '=', email).execute()
  await tx.deleteFrom('account').where('id', '=', id).execute()
  // No `accountId`: the row that it would point to is gone.
  const entry = { action: 'account.deleted', targetId: id } as const
  for (const organization of organizations)
    await audit(tx, trail, { ...entry, organizationId: organization.id })
  if (organizations.length === 0) await audit(tx, trail, entry)
}
