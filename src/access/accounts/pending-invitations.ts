import { audit, type Trail } from '../../audit/audit.ts'
import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { hashToken } from '../../core/secret.ts'
import { type Db, noteChanges, type Tx } from '../../db/database.ts'
import { prepared } from '../../db/engine/prepared.ts'
import { literal } from '../../db/literal.ts'
import { lock } from '../../db/locking.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { Publish } from '../../delivery/publish/publish.ts'
import { roleOf } from './role-columns.ts'
import { mustTakeOwnSignIn } from './sign-in-required.ts'

type Invitation = Tables['invitation']

const selectPending = prepared<{ email: string; now: Millis }>()((db, value) =>
  db
    .selectFrom('invitation')
    .innerJoin('organization', 'organization.id', 'invitation.organization_id')
    .selectAll('invitation')
    .where('invitation.email', '=', value('email'))
    .where('invitation.status', '=', literal('pending'))
    .where('invitation.expires_at', '>', value('now'))
    .where('organization.sign_in_required_at', 'is', null)
    .orderBy('invitation.id'),
)

/**
 * The invitations that an address could still accept, oldest first. Invitations to an organization that requires a sign-in by its
 * identity provider are excluded, because only that sign-in accepts them.
 */
export function findPending(db: Db | Tx, email: string, now: Millis): Promise<Invitation[]> {
  return selectPending(db, { email, now })
}

/** The invitation of an organization that an address could still accept; of an organization that requires its own sign-in, too. */
export function findPendingOf(
  tx: Tx,
  organizationId: Id<'organization'>,
  email: string,
  now: Millis,
): Promise<Invitation | undefined> {
  return tx
    .selectFrom('invitation')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('email', '=', email)
    .where('status', '=', 'pending')
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** The link of a live invitation, with the trust in its holder. */
interface InvitationLink {
  invitation: Invitation
  /** Whether only the owner of the mailbox, or the operator, can have the link. */
  mailboxProven: boolean
}

/**
 * The live invitation of a token. One that was mailed proves the mailbox. One that was handed to its inviter
 * (`sendEmail: false`) proves only that this inviter wants the person. Otherwise an administrator could invite a
 * stranger's address, keep the link, and accept the invitations of other organizations to that stranger
 * (the same hole as better-auth GHSA-fmh4-wcc4-5jm3).
 */
export async function findByToken(
  db: Db | Tx,
  token: string,
  now: Millis,
): Promise<InvitationLink | undefined> {
  return toLink(await selectByToken(db, token, now).executeTakeFirst())
}

/**
 * As `findByToken`, with a lock against a concurrent revocation; the account of its address is locked first.
 * @throws ApiError FORBIDDEN `organization_sign_in_required` where the organization takes people by its identity provider alone
 */
export async function lockByToken(tx: Tx, token: string, now: Millis): Promise<InvitationLink | undefined> {
  const link = toLink(await lock(tx, selectByToken(tx, token, now)).executeTakeFirst())
  if (link !== undefined) await mustTakeOwnSignIn(tx, link.invitation.organization_id)
  return link
}

function selectByToken(db: Db | Tx, token: string, now: Millis) {
  return db
    .selectFrom('invitation')
    .selectAll()
    .where('token_hash', '=', hashToken(token))
    .where('status', '=', literal('pending'))
    .where('expires_at', '>', now)
}

function toLink(invitation: Invitation | undefined): InvitationLink | undefined {
  return (
    invitation && { invitation, mailboxProven: invitation.mailed === 1 || invitation.inviter_id === null }
  )
}

/** The invitations that a link accepts: all pending ones of a proven mailbox, else only its own. */
export async function findOpened(
  db: Db | Tx,
  { invitation, mailboxProven }: InvitationLink,
  now: Millis,
): Promise<Invitation[]> {
  return mailboxProven ? findPending(db, invitation.email, now) : [invitation]
}

/**
 * Accepts all of an account's pending invitations together (specification 3), in the transaction that proved the owner.
 * A membership that exists already keeps its role.
 * @param actorId the person, or the API key of the directory that admits the person
 * @returns how many were still pending
 */
export async function acceptPending(
  tx: Tx,
  publish: Publish,
  trail: Trail,
  account: Tables['account'],
  pending: Invitation[],
  actorId: string = account.id,
): Promise<number> {
  let count = 0
  for (const invitation of pending) {
    const accepted = await tx
      .updateTable('invitation')
      .set({ status: 'accepted', accepted_at: trail.now })
      .where('id', '=', invitation.id)
      .where('status', '=', literal('pending'))
      .returningAll()
      .executeTakeFirst()
    if (accepted === undefined) continue
    noteChanges(tx, 'invitation', [accepted])
    count += 1
    await tx
      .insertInto('membership')
      .values({
        organization_id: accepted.organization_id,
        account_id: account.id,
        role: accepted.role,
        role_id: accepted.role_id,
        created_at: trail.now,
      })
      .onConflict((conflict) => conflict.columns(['organization_id', 'account_id']).doNothing())
      .execute()
    await audit(tx, trail, {
      action: 'invitation.accepted',
      organizationId: accepted.organization_id,
      accountId: account.id,
      actorId,
      targetId: accepted.id,
    })
    await publish(tx, trail.now, {
      organizationId: accepted.organization_id,
      type: 'invitation.accepted',
      data: {
        ...{ invitationId: accepted.id, accountId: account.id },
        ...{ email: accepted.email, role: roleOf(accepted) },
      },
    })
  }
  return count
}
