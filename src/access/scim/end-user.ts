import type { Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import { afterCommit, type Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { endMembership } from '../accounts/end-membership.ts'
import { isMember } from '../accounts/is-member.ts'
import { supersedeInvitation } from '../members/supersede-invitation.ts'
import type { ScimDeps } from './deps.ts'
import { readSetting } from './setting-store.ts'

interface Ended {
  organizationId: Id<'organization'>
  actorId: string
  user: Pick<Tables['scim_user'], 'id' | 'email' | 'account_id'>
  /** The addresses whose accounts are locked. */
  locked: ReadonlySet<string>
}

/**
 * Ends the rights of a user of the directory in the organization: the membership with everything that depends on it, and a pending
 * invitation. `tx` has locked the accounts of the user, and then the organization.
 * @throws ApiError FORBIDDEN `last_administrator`
 */
export async function endUser(
  tx: Tx,
  { publish, credentials }: Pick<ScimDeps, 'publish' | 'credentials'>,
  trail: Trail,
  { organizationId, actorId, user, locked }: Ended,
): Promise<void> {
  // An address without an account has no invitation. A concurrent invitation counts as later than this end.
  if (locked.has(user.email)) await supersedeInvitation(tx, trail, organizationId, user.email)
  const accountId = await memberOf(tx, organizationId, user)
  if (accountId !== undefined) {
    const { endKeys } = await readSetting(tx, organizationId)
    await endMembership(tx, publish, trail, { organizationId, accountId, actorId, endKeys })
    afterCommit(tx, credentials.clear)
  }
  await tx
    .updateTable('scim_user')
    .set({ account_id: null, role_given: 0 })
    .where('id', '=', user.id)
    .execute()
}

/**
 * The account of a user who is currently a member: the linked account, else the account of the address, unless another user is linked to
 * it.
 */
export async function memberOf(
  tx: Tx,
  organizationId: Id<'organization'>,
  { id, email, account_id }: Ended['user'],
): Promise<Id<'account'> | undefined> {
  if (account_id !== null && (await isMember(tx, organizationId, account_id))) return account_id
  const others = tx
    .selectFrom('scim_user')
    .select('account_id')
    .where('organization_id', '=', organizationId)
    .where('id', '!=', id)
    .where('account_id', 'is not', null)
  const row = await tx
    .selectFrom('membership')
    .innerJoin('account', 'account.id', 'membership.account_id')
    .select('account.id')
    .where('membership.organization_id', '=', organizationId)
    .where('account.email', '=', email)
    .where('account.id', 'not in', others)
    .executeTakeFirst()
  return row?.id
}
