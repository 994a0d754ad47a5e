import { audit, type Trail } from '../../audit/audit.ts'
import { DAY, MINUTE, type Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { type Id, newId } from '../../core/id.ts'
import type { Language } from '../../core/language.ts'
import { hashToken, newToken } from '../../core/secret.ts'
import { noteChanges, type Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { Publish } from '../../delivery/publish/publish.ts'
import type { RoleName } from '../../http/permissions.ts'
import { invitationMail } from '../../mail/mail-templates.ts'
import type { Outbox } from '../../mail/outbox.ts'
import { admit } from '../accounts/accounts.ts'
import { columnsOf } from '../accounts/role-columns.ts'

export interface InviteDeps {
  appUrl: string
  outbox: Outbox
  publish: Publish
}

export interface Invite {
  organizationId: Id<'organization'>
  /** Normalised. */
  email: string
  /** One of the organization's own is held by the transaction. */
  role: RoleName
  /** null: the command line. */
  inviterId: string | null
  lifetime: Millis
  /** Of its mail; null: that of the organization. */
  language: Language | null
  sendEmail: boolean
  /** The automatic cause; absent for a person's request. */
  because?: 'scim'
}

/** An invitation just made, and the link that is not stored. */
export interface Invited {
  invitation: Tables['invitation']
  token: string
  acceptUrl: string
}

/**
 * Invites an address to an organization: an invitation, an inactive account unless there is one, a mail and
 * an event, together (specification 2).
 * @throws ApiError DUPLICATE when the address is a member of the organization or has a live invitation to it
 */
export async function invite(tx: Tx, deps: InviteDeps, trail: Trail, wish: Invite): Promise<Invited> {
  const account = await admit(tx, deps.publish, trail, { because: 'invited', email: wish.email })
  return inviteAccount(tx, deps, trail, account, wish)
}

/**
 * As `invite`, for an account that the transaction has admitted.
 * @throws ApiError DUPLICATE likewise
 */
export async function inviteAccount(
  tx: Tx,
  deps: InviteDeps,
  trail: Trail,
  account: Pick<Tables['account'], 'id'>,
  wish: Invite,
): Promise<Invited> {
  const { now } = trail
  await refuseDuplicate(tx, wish, account.id, now)
  const token = newToken()
  const invitation: Tables['invitation'] = {
    id: newId('invitation', now),
    organization_id: wish.organizationId,
    account_id: account.id,
    email: wish.email,
    ...columnsOf(wish.role),
    inviter_id: wish.inviterId,
    key_id: trail.keyId ?? null,
    status: 'pending',
    token_hash: hashToken(token),
    language: wish.language,
    mailed: wish.sendEmail ? 1 : 0,
    created_at: now,
    lifetime_ms: wish.lifetime,
    expires_at: now + wish.lifetime,
    accepted_at: null,
    revoked_at: null,
  }
  const inserted = await tx
    .insertInto('invitation')
    .values(invitation)
    // A concurrent request has invited the address.
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (inserted === undefined) throw new ApiError('DUPLICATE', { field: 'email', value: wish.email })
  noteChanges(tx, 'invitation', [invitation])
  const acceptUrl = acceptUrlOf(deps, token)
  if (wish.sendEmail) await mailInvitation(tx, deps, invitation, acceptUrl, now)
  await audit(tx, trail, {
    action: 'invitation.created',
    organizationId: wish.organizationId,
    actorId: wish.inviterId,
    targetId: invitation.id,
    details: { email: wish.email, role: wish.role, ...(wish.because && { because: wish.because }) },
  })
  await deps.publish(tx, now, {
    organizationId: wish.organizationId,
    type: 'invitation.created',
    data: { invitationId: invitation.id, email: wish.email, role: wish.role, inviterId: wish.inviterId },
  })
  return { invitation, token, acceptUrl }
}

/**
 * Gives an invitation a new token and mails it, which ends the old link.
 * @param expiresAt the expiry of the new link
 * @returns undefined when it is no longer pending
 */
export async function renew(
  tx: Tx,
  deps: InviteDeps,
  old: Tables['invitation'],
  now: Millis,
  expiresAt: Millis = now + old.lifetime_ms,
): Promise<Tables['invitation'] | undefined> {
  const token = newToken()
  const invitation = await tx
    .updateTable('invitation')
    .set({ token_hash: hashToken(token), mailed: 1, expires_at: expiresAt })
    .where('id', '=', old.id)
    .where('status', '=', 'pending')
    .returningAll()
    .executeTakeFirst()
  if (invitation === undefined) return undefined
  noteChanges(tx, 'invitation', [invitation])
  await mailInvitation(tx, deps, invitation, acceptUrlOf(deps, token), now)
  return invitation
}

function acceptUrlOf({ appUrl }: InviteDeps, token: string): string {
  return `${appUrl}/accept-invitation?token=${token}`
}

async function refuseDuplicate(tx: Tx, wish: Invite, accountId: Id<'account'>, now: Millis): Promise<void> {
  const duplicate = new ApiError('DUPLICATE', { field: 'email', value: wish.email })
  const member = await tx
    .selectFrom('membership')
    .select('account_id')
    .where('organization_id', '=', wish.organizationId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (member !== undefined) throw duplicate
  await tx
    .updateTable('invitation')
    .set({ status: 'expired' })
    .where('organization_id', '=', wish.organizationId)
    .where('email', '=', wish.email)
    .where('status', '=', 'pending')
    .where('expires_at', '<=', now)
    .execute()
  const pending = await tx
    .selectFrom('invitation')
    .select('id')
    .where('organization_id', '=', wish.organizationId)
    .where('email', '=', wish.email)
    .where('status', '=', 'pending')
    .executeTakeFirst()
  if (pending !== undefined)
    throw new ApiError('DUPLICATE', { ...duplicate.details, invitationId: pending.id })
}

async function mailInvitation(
  tx: Tx,
  deps: InviteDeps,
  invitation: Tables['invitation'],
  url: string,
  now: Millis,
): Promise<void> {
  const organization = await tx
    .selectFrom('organization')
    .select('name')
    .where('id', '=', invitation.organization_id)
    .executeTakeFirstOrThrow()
  const inviter = await tx
    .selectFrom('account')
    .select(['first_name', 'last_name'])
    .where('id', '=', (invitation.inviter_id ?? '') as Id<'account'>)
    .executeTakeFirst()
  const days = Math.max(1, Math.round((invitation.expires_at - now + MINUTE) / DAY))
  await deps.outbox.queue(tx, now, {
    to: invitation.email,
    invitationId: invitation.id,
    organizationId: invitation.organization_id,
    usefulUntil: invitation.expires_at,
    language: invitation.language,
    template: invitationMail({
      organization: organization.name,
      inviter: inviter ? `${inviter.first_name ?? ''} ${inviter.last_name ?? ''}` : null,
      url,
      days,
    }),
  })
}
