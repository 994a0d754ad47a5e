import { audit, type Trail } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import type { Tx } from '../../db/database.ts'
import { identityLinkedMail } from '../../mail/mail-templates.ts'
import { type Account, admit, findAccount, invitationRequired, proveMailbox } from '../accounts/accounts.ts'
import { lockAccount, lockAddress } from '../accounts/lock-account.ts'
import { lockByToken } from '../accounts/pending-invitations.ts'
import type { AccessDeps } from '../deps.ts'
import { beginSession, type SignInResult } from '../sessions/sessions.ts'
import type { SocialIdentity } from './identity.ts'

type EntryDeps = Pick<AccessDeps, 'publish' | 'outbox' | 'credentials' | 'endMade'>

/** The data of a sign-in from its beginning. */
interface SignInOrigin {
  invitationToken: string | null
  replaces: string | undefined
  returnTo: string
}

/**
 * Signs in a person whom a provider has identified.
 *
 * identity known: its account, also where the provider names another address
 * identity unknown, address verified: the account of the address, to which the identity is added
 *   active, mailbox never proven: everything that was set up there before ends first
 *   inactive: completes the sign-up, if an invitation is pending
 * otherwise: refused; nothing is created
 *
 * @throws ApiError FORBIDDEN when the address has no invitation, or the invitation's link is for another address;
 * UNAUTHORIZED when there is no verified address or the account is disabled
 */
export async function signInIdentity(
  tx: Tx,
  deps: EntryDeps,
  trail: Trail,
  identity: SocialIdentity,
  { invitationToken, replaces, returnTo }: SignInOrigin,
): Promise<SignInResult> {
  const linked = await findLinked(tx, identity)
  const email = linked?.email ?? identity.verifiedEmail
  if (email === undefined) throw new ApiError('UNAUTHORIZED', { reason: 'address_not_verified' })
  // A known account is locked by its id, because its address may change.
  await (linked === undefined ? lockAddress(tx, email) : lockAccount(tx, linked.id))
  // The identity is read again under the lock, because a proof of the mailbox may have removed it.
  const known = linked && (await findLinked(tx, identity))
  if (known === undefined && email !== identity.verifiedEmail)
    throw new ApiError('UNAUTHORIZED', { reason: 'address_not_verified' })
  // The link must be for the address that the provider verified.
  if (invitationToken !== null) {
    const link = await lockByToken(tx, invitationToken, trail.now)
    if (link?.invitation.email !== email) throw invitationRequired()
  }
  const account = known ?? (await admitOwner(tx, deps, trail, identity, email))
  if (account.status !== 'active')
    throw new ApiError('UNAUTHORIZED', { reason: 'account_disabled', accountId: account.id })
  if (known === undefined) await link(tx, deps, trail, identity, account)
  return beginSession(tx, deps, trail, account, { how: identity.provider, replaces, returnTo })
}

/** The account of a linked identity. */
export async function findLinked(
  tx: Tx,
  { provider, subject }: Pick<SocialIdentity, 'provider' | 'subject'>,
): Promise<Account | undefined> {
  return tx
    .selectFrom('identity')
    .innerJoin('account', 'account.id', 'identity.account_id')
    .selectAll('account')
    .where('identity.provider', '=', provider)
    .where('identity.subject', '=', subject)
    .executeTakeFirst()
}

/** The account of a verified address, activated unless it is disabled. */
async function admitOwner(
  tx: Tx,
  deps: EntryDeps,
  trail: Trail,
  { provider, firstName, lastName }: SocialIdentity,
  email: string,
): Promise<Account> {
  const account = await findAccount(tx, email)
  if (account?.status === 'disabled') return account
  if (account?.status === 'active') return proveMailbox(tx, deps, trail, account)
  return admit(tx, deps.publish, trail, {
    because: 'sign_up_completed',
    email,
    profile: { firstName, lastName, passwordHash: null, termsAcceptedAt: trail.now },
    mailboxProven: true,
    deps,
    how: provider,
  })
}

/**
 * Adds an identity to an account, and sends its owner a mail.
 * @throws ApiError UNAUTHORIZED `linked_elsewhere`
 */
export async function link(
  tx: Tx,
  { outbox }: Pick<EntryDeps, 'outbox'>,
  trail: Trail,
  { provider, subject, label }: Pick<SocialIdentity, 'provider' | 'subject' | 'label'>,
  account: Account,
): Promise<void> {
  const linked = await tx
    .insertInto('identity')
    .values({ provider, subject, account_id: account.id, email: account.email, created_at: trail.now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('subject')
    .executeTakeFirst()
  // A concurrent callback of the same identity has added it.
  if (linked === undefined) {
    const owner = await findLinked(tx, { provider, subject })
    if (owner?.id !== account.id) throw new ApiError('UNAUTHORIZED', { reason: 'linked_elsewhere' })
    return
  }
  await audit(tx, trail, {
    action: 'identity.linked',
    accountId: account.id,
    actorId: account.id,
    details: { provider },
  })
  await outbox.queue(tx, trail.now, {
    to: account.email,
    template: identityLinkedMail({ provider: label, ip: trail.ip }),
  })
}
