import { sql } from 'kysely'
import { audit, type Trail } from '../../audit/audit.ts'
import { type Millis, toIso, toIsoOrNull } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { type Id, newId } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'
import { prepared } from '../../db/engine/prepared.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { Publish } from '../../delivery/publish/publish.ts'
import { Type } from '../../http/schema/type.ts'
import { Moment, Nullable } from '../../http/schema/validation.ts'
import { type EndingDeps, endUnproven } from './end-unproven.ts'
import { lockAddress } from './lock-account.ts'
import { acceptPending, findPending } from './pending-invitations.ts'
import { type FactorDemand, factorDueAt } from './required-factor.ts'

export type Account = Tables['account']

/** The input that completes a sign-up; members that a route does not request are absent. */
export interface Profile {
  firstName: string
  lastName: string
  passwordHash: string | null
  termsAcceptedAt: Millis
}

/** The reason for an account: an administrator has invited its address, or its owner completes the sign-up. */
type Entry =
  | { because: 'invited'; email: string }
  | {
      because: 'sign_up_completed'
      email: string
      profile: Profile
      mailboxProven: boolean
      /** Parts that end everything made before the mailbox was proven. */
      deps: EndingDeps
      /** The invitations that this entry may accept; by default all pending ones (specification 3). */
      opened?: Tables['invitation'][] | undefined
      how: string
    }

/**
 * The only function that creates or activates accounts, for every route (specification 1: open registration does not exist). Only the
 * operator's import is separate (`import-accounts.ts`).
 *
 * (none) --invited--> inactive --sign_up_completed, an invitation pending--> active
 * active, its mailbox never proven --sign_up_completed by the owner of the mailbox--> active, and the owner's
 *
 * @returns the account as it is afterwards
 * @throws ApiError FORBIDDEN `invitation_required`: the address has no invitation, or every one was used, revoked or
 *   has expired, or the account is active already; the answer is the same for all of these
 */
export async function admit(tx: Tx, publish: Publish, trail: Trail, entry: Entry): Promise<Account> {
  const { now } = trail
  const account = await lockAddress(tx, entry.email)
  if (entry.because === 'invited') return account ?? (await insertInactive(tx, entry.email, now))

  const pending = entry.opened ?? (await findPending(tx, entry.email, now))
  if (account === undefined || !mayComplete(account, entry) || pending.length === 0)
    throw invitationRequired()
  const { profile } = entry
  if (account.status === 'active') await endUnproven(tx, entry.deps, trail, account.id)
  const active = await tx
    .updateTable('account')
    .set({
      status: 'active',
      first_name: profile.firstName,
      last_name: profile.lastName,
      password_hash: profile.passwordHash,
      terms_accepted_at: profile.termsAcceptedAt,
      email_verified_at: entry.mailboxProven ? now : null,
      updated_at: now,
    })
    .where('id', '=', account.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  // Other sign-ups for this address end, because they began without a proof of the mailbox.
  await tx.deleteFrom('one_time_token').where('account_id', '=', active.id).execute()
  // An administrator may have revoked all of them since the read; then the address has no invitation.
  if ((await acceptPending(tx, publish, trail, active, pending)) === 0) throw invitationRequired()
  // The audit entry follows the memberships, because only the account's organizations can read it.
  await audit(tx, trail, {
    action: 'account.activated',
    accountId: active.id,
    actorId: active.id,
    details: { how: entry.how },
  })
  return active
}

/** Whether a sign-up may complete the account. One without proof of the mailbox must not lock its owner out. */
function mayComplete(account: Account, { mailboxProven }: { mailboxProven: boolean }): boolean {
  if (account.status === 'active') return mailboxProven && account.email_verified_at === null
  return account.status === 'inactive'
}

/** The error of every refused sign-up (decisions: access). */
export function invitationRequired(): ApiError<'FORBIDDEN'> {
  return new ApiError('FORBIDDEN', { reason: 'invitation_required' })
}

async function insertInactive(tx: Tx, email: string, now: Millis): Promise<Account> {
  const row = {
    id: newId('account', now),
    email,
    first_name: null,
    last_name: null,
    status: 'inactive' as const,
    email_verified_at: null,
    password_hash: null,
    terms_accepted_at: null,
    created_at: now,
    updated_at: now,
    second_factors: 0,
    language: null,
  }
  const inserted = await tx
    .insertInto('account')
    .values(row)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returningAll()
    .executeTakeFirst()
  // Of two simultaneous invitations the second finds the account of the first.
  return inserted ?? ((await lockAddress(tx, email)) as Account)
}

/**
 * Stores that the owner has proven the mailbox. The first proof ends the password and everything else that was set up before
 * (`endUnproven`; better-auth GHSA-g38m-r43w-p2q7).
 * @param account as it is under its lock
 * @returns the account as it is afterwards
 */
export async function proveMailbox(
  tx: Tx,
  deps: EndingDeps,
  trail: Trail,
  account: Account,
): Promise<Account> {
  if (account.email_verified_at !== null) return account
  await endUnproven(tx, deps, trail, account.id)
  const proven = await tx
    .updateTable('account')
    .set({ email_verified_at: trail.now, password_hash: null, updated_at: trail.now })
    .where('id', '=', account.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  await audit(tx, trail, { action: 'account.mailbox_proven', accountId: account.id, actorId: account.id })
  return proven
}

const selectAccount = prepared<{ email: string }>()((db, value) =>
  db.selectFrom('account').selectAll().where('email', '=', value('email')),
)

/** The account of a normalised address. */
export async function findAccount(db: Db | Tx, email: string): Promise<Account | undefined> {
  const [account] = await selectAccount(db, { email })
  return account
}

export const UserSchema = Type.Object({
  id: Type.String(),
  email: Type.String(),
  firstName: Nullable(Type.String()),
  lastName: Nullable(Type.String()),
  language: Nullable(Type.String()),
  status: Type.String({ enum: ['inactive', 'active', 'disabled'] }),
  emailVerified: Type.Boolean(),
  termsAcceptedAt: Nullable(Moment),
  createdAt: Moment,
  organizations: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      role: Type.String(),
      roleName: Type.String(),
      status: Type.String({
        enum: ['active', 'disabled'],
        description: '`disabled` while the operator has shut the organization out.',
      }),
      secondFactorDueAt: Nullable(Moment),
    }),
  ),
})

/** An organization in the view of a member. */
interface Membership {
  id: Id<'organization'>
  name: string
  role: string
  roleName: string
  status: 'active' | 'disabled'
  secondFactorDueAt: string | null
}

interface MembershipRow extends Omit<Membership, 'secondFactorDueAt'>, FactorDemand {
  second_factors: number
}

const selectMemberships = prepared<{ accountId: Id<'account'> }>()((db, value) =>
  db
    .selectFrom('membership')
    .innerJoin('account', 'account.id', 'membership.account_id')
    .innerJoin('organization', 'organization.id', 'membership.organization_id')
    .leftJoin('role', 'role.id', 'membership.role_id')
    .select(['organization.id', 'organization.name', 'account.second_factors'])
    .select(['organization.second_factor_from', 'organization.second_factor_grace'])
    .select('membership.created_at as joined_at')
    .select(({ fn, ref }) => [
      fn
        .coalesce(ref('membership.role_id').$castTo<string>(), ref('membership.role').$castTo<string>())
        .as('role'),
      fn.coalesce('role.name', ref('membership.role').$castTo<string>()).as('roleName'),
    ])
    .select(
      sql<Membership['status']>`case when disabled_at is null then 'active' else 'disabled' end`.as('status'),
    )
    .where('membership.account_id', '=', value('accountId'))
    .orderBy('membership.created_at')
    .orderBy('organization.id'),
)

/** The organizations of an account, oldest membership first, each with the deadline for a second factor. */
export async function listMemberships(
  db: Db | Tx,
  { access }: { access: { secondFactorFrom: Millis | undefined } },
  accountId: Id<'account'>,
  now: Millis,
): Promise<Membership[]> {
  const rows: MembershipRow[] = await selectMemberships(db, { accountId })
  return rows.map(({ id, name, role, roleName, status, second_factors, ...demand }) => {
    const due = second_factors > 0 ? null : factorDueAt(demand, access.secondFactorFrom, now)
    return { id, name, role, roleName, status, secondFactorDueAt: toIsoOrNull(due) }
  })
}

/** The `user` of decisions: access. */
export function toUser(account: Omit<Account, 'updated_at'>, organizations: Membership[]) {
  return {
    id: account.id,
    email: account.email,
    firstName: account.first_name,
    lastName: account.last_name,
    language: account.language,
    status: account.status,
    emailVerified: account.email_verified_at !== null,
    termsAcceptedAt: toIsoOrNull(account.terms_accepted_at),
    createdAt: toIso(account.created_at),
    organizations,
  }
}
