import { audit, type Trail } from '../../audit/audit.ts'
import { MINUTE, type Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { hashToken } from '../../core/secret.ts'
import { afterCommit, noteChanges, type Tx } from '../../db/database.ts'
import { lockShared } from '../../db/locking.ts'
import { sealContext } from '../../db/sealed.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { lockOrganization } from '../../organizations/organizations.ts'
import { type Account, admit, findAccount, invitationRequired, proveMailbox } from '../accounts/accounts.ts'
import { changeRole } from '../accounts/change-role.ts'
import { holdRole } from '../accounts/given-role.ts'
import { findRoleOfAccount } from '../accounts/group-role.ts'
import { isMember } from '../accounts/is-member.ts'
import { lockAccount, lockAddress } from '../accounts/lock-account.ts'
import { acceptPending, findPendingOf } from '../accounts/pending-invitations.ts'
import { roleOf } from '../accounts/role-columns.ts'
import type { AccessDeps } from '../deps.ts'
import { findDomainOwner } from '../domains/proven-domain.ts'
import { invite } from '../members/invite.ts'
import { beginSession, type SignInResult } from '../sessions/sessions.ts'
import { findLinked, link } from '../social/sign-in-identity.ts'
import type { Vouched } from './read-claims.ts'
import { hasSignedOut } from './reported-sign-out.ts'
import { roleBy } from './role-rules.ts'

type Provider = Tables['identity_provider']
type Invitation = Tables['invitation']
type EntryDeps = Pick<AccessDeps, 'config' | 'vault' | 'publish' | 'outbox' | 'credentials' | 'endMade'>

/** The longest hint that is kept. The logout request carries it in a URL, and servers limit URLs to about 8,000 characters. */
const LONGEST_HINT = 4_096

/** The data of a sign-in from its beginning. */
interface Way {
  replaces: string | undefined
  returnTo: string
  beganAt: Millis
}

/** A person who signs in to an organization. */
interface Arrival {
  provider: Provider
  vouched: Vouched
  email: string
  /** The organization's pending invitations of the address. */
  pending: Invitation[]
}

/**
 * Signs in a person whom an organization's identity provider confirms, only for that organization.
 *
 * identity known, of a member: its account, also if the provider names another address, or the organization has lost the domain
 * identity unknown, address of a domain that the organization has proven: the account of the address
 * otherwise: refused with the same answer for every address; nothing is created
 *
 * A person who is not a member becomes one by a pending invitation of the organization or, if the provider creates memberships, by an
 * invitation that the provider makes.
 *
 * @throws ApiError FORBIDDEN `domain_not_proven`, `invitation_required`; UNAUTHORIZED when the provider doubts the address, the account is
 *   disabled, or the provider was disabled or has reported a sign-out of the person since
 */
export async function enterOrganization(
  tx: Tx,
  deps: EntryDeps,
  trail: Trail,
  { id, organization_id: organizationId }: Pick<Provider, 'id' | 'organization_id'>,
  vouched: Vouched,
  { replaces, returnTo, beganAt }: Way,
): Promise<SignInResult> {
  const identity = { provider: id, subject: vouched.subject }
  const linked = await findLinked(tx, identity)
  const account = await lockPerson(tx, linked, vouched)
  const email = linked === undefined ? vouched.email : account?.email
  if (email === undefined) throw domainNotProven()
  const isOwnDomain = (await findDomainOwner(tx, email))?.organization_id === organizationId
  // Before an organization is locked, because the proof may change rows of several organizations.
  if (linked === undefined && isOwnDomain && !vouched.isDoubted && account?.status === 'active')
    await proveMailbox(tx, deps, trail, account)
  // The account is made before the organization is locked: under that lock it would be locked too late.
  if (linked === undefined && isOwnDomain && !vouched.isDoubted && account === undefined)
    await admit(tx, deps.publish, trail, { because: 'invited', email })
  const organization = await lockOrganization(tx, organizationId)
  if (organization === undefined || organization.disabled_at !== null) throw refused('organization_disabled')
  const provider = await lockShared(
    tx,
    tx.selectFrom('identity_provider').selectAll().where('id', '=', id),
  ).executeTakeFirst()
  if (provider?.status !== 'active') throw refused('provider_disabled')
  if (await hasSignedOut(tx, provider, vouched, beganAt)) throw refused('signed_out')
  // Read under the lock: a proof of the mailbox may have removed the identity since.
  const known = linked && (await findLinked(tx, identity))
  if (linked !== undefined && known === undefined) throw refused('identity_changed')
  if (!isOwnDomain && !(known && (await isMember(tx, organizationId, known.id)))) throw domainNotProven()
  const invitation = await findPendingOf(tx, organizationId, email, trail.now)
  const pending = invitation === undefined ? [] : [invitation]
  const arrival = { provider, vouched, email, pending }
  const person = known ?? (await accountOf(tx, deps, trail, arrival))
  if (person.status !== 'active')
    throw new ApiError('UNAUTHORIZED', { reason: 'account_disabled', accountId: person.id })
  await join(tx, deps, trail, person, arrival)
  if (known === undefined) await link(tx, deps, trail, { ...identity, label: provider.name }, person)
  await giveRole(tx, deps, trail, person, arrival)
  await tx.updateTable('identity_provider').set({ last_sign_in_at: trail.now }).where('id', '=', id).execute()
  noteChanges(tx, 'identityProvider', [provider])
  const values = JSON.parse(provider.factor_values) as string[]
  const sessionHash = vouched.session === undefined ? null : hashToken(vouched.session)
  return beginSession(tx, deps, trail, person, {
    ...{ how: provider.kind, replaces, returnTo },
    by: { id, organizationId, sessionHash, hint: hintOf(deps, provider, person, vouched) },
    ...(vouched.methods.some((one) => values.includes(one)) && { shown: 'identity_provider' as const }),
  })
}

/** The sealed name of the session at the provider, if it ends there with the session here. */
function hintOf(
  { vault }: EntryDeps,
  { id, ends_provider_session: isToEnd }: Provider,
  person: Account,
  { hint }: Vouched,
): string | null {
  if (isToEnd === 0 || hint === undefined || hint.length > LONGEST_HINT) return null
  return vault.seal(hint, sealContext('session', id, person.id))
}

/** Locks the account of a linked identity by its id, because its address may change before the lock, and any other account by its address. */
async function lockPerson(
  tx: Tx,
  linked: Account | undefined,
  { email }: Vouched,
): Promise<Account | undefined> {
  if (linked !== undefined) return lockAccount(tx, linked.id)
  return email === undefined ? undefined : lockAddress(tx, email)
}

const refused = (reason: string) => new ApiError('UNAUTHORIZED', { reason })

/** The refusal of addresses outside the proven domains, invited or not, because the organization may confirm only its own addresses. */
const domainNotProven = () => new ApiError('FORBIDDEN', { reason: 'domain_not_proven' })

/** The account of an address of a proven domain, active unless it is disabled. */
async function accountOf(tx: Tx, deps: EntryDeps, trail: Trail, arrival: Arrival): Promise<Account> {
  const { vouched, email, pending, provider } = arrival
  // Some providers let people enter any address in their profile, and mark it as not verified.
  if (vouched.isDoubted) throw refused('address_not_verified')
  const account = await findAccount(tx, email)
  if (account?.status === 'disabled') return account
  if (account?.status === 'active') {
    await mustBeUnknown(tx, provider, account)
    return account
  }
  const { firstName, lastName } = vouched
  return admit(tx, deps.publish, trail, {
    because: 'sign_up_completed',
    email,
    profile: { firstName, lastName, passwordHash: null, termsAcceptedAt: trail.now },
    mailboxProven: true,
    deps,
    opened: pending.length > 0 ? pending : await invitedBy(tx, deps, trail, arrival),
    how: provider.kind,
  })
}

/**
 * Refuses an account that is already linked under another subject: people may edit their address at some providers, so an address alone
 * does not identify a person there.
 * @throws ApiError UNAUTHORIZED
 */
async function mustBeUnknown(tx: Tx, { id }: Provider, account: Account): Promise<void> {
  const other = await tx
    .selectFrom('identity')
    .select('subject')
    .where('provider', '=', id)
    .where('account_id', '=', account.id)
    .executeTakeFirst()
  if (other !== undefined)
    throw new ApiError('UNAUTHORIZED', { reason: 'another_subject', accountId: account.id })
}

/** Makes an active account a member, unless it is one. */
async function join(
  tx: Tx,
  deps: EntryDeps,
  trail: Trail,
  account: Account,
  arrival: Arrival,
): Promise<void> {
  const { provider, pending } = arrival
  if (await isMember(tx, provider.organization_id, account.id)) return
  const opened = pending.length > 0 ? pending : await invitedBy(tx, deps, trail, arrival)
  if ((await acceptPending(tx, deps.publish, trail, account, opened)) === 0) throw invitationRequired()
}

/**
 * The invitation that an identity provider makes, to an address of a proven domain, for the sign-in that is under way.
 * @throws ApiError FORBIDDEN `invitation_required`
 */
async function invitedBy(
  tx: Tx,
  { config, outbox, publish }: EntryDeps,
  trail: Trail,
  { provider, vouched, email }: Arrival,
): Promise<Invitation[]> {
  if (provider.creates_memberships === 0) throw invitationRequired()
  const { organization_id: organizationId } = provider
  const account = await findAccount(tx, email)
  const given = account && (await findRoleOfAccount(tx, organizationId, account.id))
  const { name: role } = await holdRole(tx, organizationId, given ?? roleBy(provider, vouched.said))
  const { invitation } = await invite(tx, { appUrl: config.web.appUrl, outbox, publish }, trail, {
    ...{ organizationId, email, role, inviterId: provider.id, lifetime: MINUTE },
    ...{ language: null, sendEmail: false },
  })
  return [invitation]
}

/**
 * Gives the role that the rules select, if the provider manages roles and no group of the directory gives one. The last administrator
 * keeps that role.
 */
async function giveRole(
  tx: Tx,
  { publish, credentials }: EntryDeps,
  trail: Trail,
  account: Account,
  { provider, vouched }: Arrival,
): Promise<void> {
  if (provider.manages_roles === 0) return
  const { organization_id: organizationId } = provider
  const held = await tx
    .selectFrom('membership')
    .select(['role', 'role_id'])
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', account.id)
    .executeTakeFirstOrThrow()
  const wanted = roleBy(provider, vouched.said)
  if (roleOf(held) === wanted) return
  if ((await findRoleOfAccount(tx, organizationId, account.id)) !== undefined) {
    await audit(tx, trail, {
      action: 'identity_provider.role_kept',
      ...{ organizationId, accountId: account.id, actorId: provider.id, targetId: account.id },
      details: { because: 'scim_group', role: wanted },
    })
    return
  }
  const role = await holdRole(tx, organizationId, wanted)
  const because = 'identity_provider' as const
  const change = { organizationId, accountId: account.id, role, actorId: provider.id, because }
  await changeRole(tx, publish, trail, change).catch((error: unknown) => {
    // The refusal comes before any write.
    if (error instanceof ApiError && ['last_administrator', 'last_exception'].includes(reasonOf(error) ?? ''))
      return
    throw error
  })
  afterCommit(tx, credentials.clear)
}

const reasonOf = ({ details }: ApiError) => (details as { reason?: string }).reason
