import { audit, type Trail } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import { afterCommit, type Db, type Tx } from '../../db/database.ts'
import { emailChangedMail } from '../../mail/mail-templates.ts'
import type { AccessDeps } from '../deps.ts'
import { type Account, admit, proveMailbox } from './accounts.ts'
import { endEntry } from './end-entry.ts'
import { lockAddress } from './lock-account.ts'
import { moveProvisioned } from './move-provisioned.ts'
import { acceptPending, findPending } from './pending-invitations.ts'

type ChangeDeps = Pick<AccessDeps, 'outbox' | 'publish' | 'credentials' | 'endMade'>

/** An account and the holder of its new address, both locked. */
interface LockedPair {
  account: Account | undefined
  /** The account of the new address; made as inactive where it is missing, which reserves the address. */
  holder: Account
}

/**
 * Locks the accounts of two addresses, in the order of the addresses, as every transaction does that locks several. The second one
 * is made where it is missing: an invitation, a sign-up or another change of the same address then waits for the end of `tx`.
 */
export async function lockPair(
  tx: Tx,
  { publish }: Pick<AccessDeps, 'publish'>,
  trail: Trail,
  { from, to }: { from: string; to: string },
): Promise<LockedPair> {
  const lockHolder = () => admit(tx, publish, trail, { because: 'invited', email: to })
  if (from < to) {
    const account = await lockAddress(tx, from)
    return { account, holder: await lockHolder() }
  }
  const holder = await lockHolder()
  return { account: await lockAddress(tx, from), holder }
}

/**
 * Changes the address of an account after both mailboxes have confirmed. Invitations of the old address are accepted first, as at a
 * sign-in, and then those of the new address, whose mailbox is proven. Other sessions, links, grants and identities that were linked by
 * the old address end. If the account has never proven a mailbox before, all its earlier settings end, with the caller's session. The old
 * mailbox gets a mail.
 * @param pair as `lockPair` returns it
 * @throws ApiError DUPLICATE `newEmail` where the address has an account that a person uses
 */
export async function changeEmail(
  tx: Tx,
  deps: ChangeDeps,
  trail: Trail,
  { account, holder }: { account: Account; holder: Account },
  { keep, by }: { keep: Id<'session'> | null; by: 'person' | 'operator' },
): Promise<void> {
  const { now } = trail
  const { id, email: from } = account
  const to = holder.email
  if (!(await mayTakeAddress(tx, holder))) throw new ApiError('DUPLICATE', { field: 'newEmail' })
  // The mail is queued before the change, because its language is that of the address's account.
  await deps.outbox.queue(tx, now, { to: from, template: emailChangedMail({ by, ip: trail.ip, to }) })
  if (account.email_verified_at === null) await proveMailbox(tx, deps, trail, account)
  else await acceptPending(tx, deps.publish, trail, account, await findPending(tx, from, now))
  await tx.updateTable('invitation').set({ account_id: id }).where('account_id', '=', holder.id).execute()
  await moveProvisioned(tx, { from: holder.id, to: id, email: to })
  await tx.deleteFrom('account').where('id', '=', holder.id).execute()
  const changed = await tx
    .updateTable('account')
    .set({ email: to, updated_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  await leaveInvitations(tx, deps, trail, account)
  await acceptPending(tx, deps.publish, trail, changed, await findPending(tx, to, now))
  const unlinked = await tx
    .deleteFrom('identity')
    .where('account_id', '=', id)
    .where('email', '=', from)
    .returning('subject')
    .execute()
  const endedSessions = await endEntry(tx, trail, id, keep === null ? {} : { keep })
  await audit(tx, trail, {
    action: 'account.email_changed',
    accountId: id,
    actorId: by === 'person' ? id : null,
    targetId: id,
    details: { from, to, by, endedSessions, unlinkedIdentities: unlinked.length },
  })
  afterCommit(tx, deps.credentials.clear)
}

/**
 * Leaves unaccepted invitations with the old address: those of a mailbox that was never proven, those of an organization that admits
 * people only by its identity provider, and expired ones, which may be sent again.
 */
async function leaveInvitations(
  tx: Tx,
  { publish }: Pick<AccessDeps, 'publish'>,
  trail: Trail,
  { id, email }: Pick<Account, 'id' | 'email'>,
): Promise<void> {
  const left = await tx
    .selectFrom('invitation')
    .select('id')
    .where('email', '=', email)
    .where('status', '=', 'pending')
    .execute()
  if (left.length === 0) return
  const invited = await admit(tx, publish, trail, { because: 'invited', email })
  await tx
    .updateTable('invitation')
    .set({ account_id: invited.id })
    .where(
      'id',
      'in',
      left.map((one) => one.id),
    )
    .execute()
  await moveProvisioned(tx, { from: id, to: invited.id, email })
}

/** Whether an account yields its address to another one that proves the mailbox: it was invited and never used. */
export async function mayTakeAddress(db: Db | Tx, holder: Account): Promise<boolean> {
  if (holder.status !== 'inactive') return false
  const membership = await db
    .selectFrom('membership')
    .select('account_id')
    .where('account_id', '=', holder.id)
    .executeTakeFirst()
  return membership === undefined
}
