import { audit, type Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import { noteChanges, type Tx } from '../../db/database.ts'

/**
 * Revokes the pending invitation of an address to an organization, so that a new one can take its place. `tx` has locked the account of
 * the address: accounts are locked before invitations.
 * @returns whether there was one
 */
export async function supersedeInvitation(
  tx: Tx,
  trail: Trail,
  organizationId: Id<'organization'>,
  email: string,
): Promise<boolean> {
  const revoked = await tx
    .updateTable('invitation')
    .set({ status: 'revoked', revoked_at: trail.now })
    .where('organization_id', '=', organizationId)
    .where('email', '=', email)
    .where('status', '=', 'pending')
    .where('expires_at', '>', trail.now)
    .returning('id')
    .executeTakeFirst()
  if (revoked === undefined) return false
  noteChanges(tx, 'invitation', [{ id: revoked.id, organization_id: organizationId }])
  await audit(tx, trail, { action: 'invitation.revoked', organizationId, targetId: revoked.id })
  return true
}
