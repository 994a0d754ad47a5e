import type { Trail } from '../../audit/audit.ts'
import { DAY } from '../../core/clock.ts'
import type { Tx } from '../../db/database.ts'
import { admit } from '../accounts/accounts.ts'
import { type Invite, type InviteDeps, type Invited, inviteAccount } from './invite.ts'
import { supersedeInvitation } from './supersede-invitation.ts'

/** Lifetime of an operator's invitation. */
const LIFETIME = 7 * DAY

/** The address that the operator invites, its organization and role. */
type Wanted = Pick<Invite, 'organizationId' | 'email' | 'role' | 'sendEmail'>

export interface InvitedAnew extends Invited {
  /** Whether an earlier invitation was revoked for it. */
  isAnother: boolean
}

/**
 * Invites for the operator. A new invitation replaces a pending one, so that a lost link can be replaced.
 * @throws ApiError DUPLICATE when the address is a member of the organization already
 */
export async function inviteAnew(
  tx: Tx,
  deps: InviteDeps,
  trail: Trail,
  wanted: Wanted,
): Promise<InvitedAnew> {
  // An address without an account cannot be locked, so the account is made first. Each of several concurrent requests then revokes the
  // invitation of the request before it.
  const account = await admit(tx, deps.publish, trail, { because: 'invited', email: wanted.email })
  const isAnother = await supersedeInvitation(tx, trail, wanted.organizationId, wanted.email)
  const invited = await inviteAccount(tx, deps, trail, account, {
    ...wanted,
    inviterId: null,
    language: null,
    lifetime: LIFETIME,
  })
  return { ...invited, isAnother }
}
