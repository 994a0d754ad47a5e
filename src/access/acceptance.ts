import type { Millis } from '../core/clock.ts'
import type { Db, Tx } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'
import type { Publish } from '../webhooks/publish.ts'
import { audit, type Trail } from './audit.ts'

type Invitation = Tables['invitation']

/** The invitations that an address could still accept, oldest first. */
export async function findPending(db: Db | Tx, email: string, now: Millis): Promise<Invitation[]> {
  return db
    .selectFrom('invitation')
    .selectAll()
    .where('email', '=', email)
    .where('status', '=', 'pending')
    .where('expires_at', '>', now)
    .orderBy('id')
    .execute()
}

/**
 * Accepts all of an account's pending invitations together (spec 3), in the transaction of whatever proved
 * that they are its own. A membership that exists already keeps its role.
 */
export async function acceptPending(
  tx: Tx,
  publish: Publish,
  trail: Trail,
  account: Tables['account'],
  pending: Invitation[],
): Promise<void> {
  for (const invitation of pending) {
    const accepted = await tx
      .updateTable('invitation')
      .set({ status: 'accepted', accepted_at: trail.now })
      .where('id', '=', invitation.id)
      .where('status', '=', 'pending')
      .returningAll()
      .executeTakeFirst()
    if (accepted === undefined) continue
    await tx
      .insertInto('membership')
      .values({
        organization_id: accepted.organization_id,
        account_id: account.id,
        role: accepted.role,
        created_at: trail.now,
      })
      .onConflict((conflict) => conflict.columns(['organization_id', 'account_id']).doNothing())
      .execute()
    await audit(tx, trail, {
      action: 'invitation.accepted',
      organizationId: accepted.organization_id,
      accountId: account.id,
      actorId: account.id,
      targetId: accepted.id,
    })
    await publish(tx, trail.now, {
      organizationId: accepted.organization_id,
      type: 'invitation.accepted',
      data: { invitationId: accepted.id, accountId: account.id, email: accepted.email, role: accepted.role },
    })
  }
}
