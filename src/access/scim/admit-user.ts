import type { Trail } from '../../audit/audit.ts'
import { DAY, type Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { callerOf } from '../../http/principal.ts'
import { findAccount } from '../accounts/accounts.ts'
import { findGivenRoles } from '../accounts/group-role.ts'
import { isMember } from '../accounts/is-member.ts'
import { lockAddress } from '../accounts/lock-account.ts'
import { acceptPending, findPendingOf } from '../accounts/pending-invitations.ts'
import { findDomainOwner } from '../domains/proven-domain.ts'
import { limitMail } from '../members/invitation-create.ts'
import { countInvitation } from '../members/invitation-rate.ts'
import { invite } from '../members/invite.ts'
import { inviteDepsOf, type ScimDeps } from './deps.ts'
import { applyGroupRoles } from './group-roles.ts'

/** Invitations by provisioning have the longest lifetime, unless their key ends before. */
const LIFETIME = 30 * DAY

interface Admitted {
  organizationId: Id<'organization'>
  actorId: string
  /** When the caller's right ends; null: never. */
  until: Millis | null
  user: Pick<Tables['scim_user'], 'id' | 'email'>
}

/**
 * Admits an active user to the organization. A member is linked. A person becomes a member at once if the organization has proven the
 * domain of the address and the person the mailbox; every other person is invited. `tx` has locked the account of the address, if there is
 * one, and the organization.
 * @throws ApiError DUPLICATE where another user of the directory is that account
 */
export async function admitUser(
  tx: Tx,
  deps: ScimDeps,
  trail: Trail,
  { organizationId, actorId, until, user }: Admitted,
): Promise<void> {
  const { email } = user
  const before = await lockAddress(tx, email)
  const isKnown = before !== undefined && (await isMember(tx, organizationId, before.id))
  const pending = isKnown ? undefined : await findPendingOf(tx, organizationId, email, trail.now)
  const isDirect = !isKnown && (await entersDirectly(tx, organizationId, email, before))
  let accountId = before?.id
  if (!isKnown && pending === undefined) {
    const given = await findGivenRoles(tx, [user.id])
    const { invitation } = await invite(tx, inviteDepsOf(deps), trail, {
      ...{ organizationId, email, inviterId: actorId, language: null },
      role: given.get(user.id) ?? 'member',
      lifetime: Math.min(LIFETIME, until === null ? LIFETIME : until - trail.now),
      sendEmail: !isDirect,
      because: 'scim',
    })
    accountId = invitation.account_id
  }
  await mustBeNoOthers(tx, organizationId, accountId, user)
  await tx
    .updateTable('scim_user')
    .set({ account_id: accountId ?? null })
    .where('id', '=', user.id)
    .execute()
  await applyGroupRoles(tx, deps, trail, { organizationId, actorId }, [user.id])
  if (!isDirect || before === undefined) return
  const invitation = await findPendingOf(tx, organizationId, email, trail.now)
  if (invitation !== undefined) await acceptPending(tx, deps.publish, trail, before, [invitation], actorId)
}

/** A user whose address was changed keeps the account with which it was admitted. */
async function mustBeNoOthers(
  tx: Tx,
  organizationId: Id<'organization'>,
  accountId: Id<'account'> | undefined,
  { id, email }: Admitted['user'],
): Promise<void> {
  const other = await tx
    .selectFrom('scim_user')
    .select('id')
    .where('account_id', '=', accountId ?? ('' as Id<'account'>))
    .where('organization_id', '=', organizationId)
    .where('id', '!=', id)
    .executeTakeFirst()
  if (other !== undefined) throw new ApiError('DUPLICATE', { field: 'emails.value', value: email })
}

type Caller = ReturnType<typeof callerOf>

/**
 * Counts the invitation and the mail of a user who is about to be admitted. Addresses of a proven domain belong to the organization: their
 * only limit is the plan's limit of requests.
 * @throws ApiError RATE_LIMITED
 */
export async function countAdmission(
  { config, database, limiter }: ScimDeps,
  caller: Caller,
  email: string,
  now: Millis,
): Promise<void> {
  const { organizationId } = caller
  const account = await findAccount(database.db, email)
  if (account !== undefined && (await isMember(database.db, organizationId, account.id))) return
  if (await entersDirectly(database.db, organizationId, email, account)) return
  if (!(await hasProven(database.db, organizationId, email)))
    await countInvitation({ limiter, book: config.plans.book }, caller, now)
  await limitMail(limiter, email, now)
}

async function hasProven(db: Db | Tx, organizationId: Id<'organization'>, email: string): Promise<boolean> {
  return (await findDomainOwner(db, email))?.organization_id === organizationId
}

async function entersDirectly(
  db: Db | Tx,
  organizationId: Id<'organization'>,
  email: string,
  account: Tables['account'] | undefined,
): Promise<boolean> {
  if (account?.status !== 'active' || account.email_verified_at === null) return false
  return hasProven(db, organizationId, email)
}
