import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import { audit, type Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import { noteChanges, type Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'

interface Revocation {
  organizationId: Id<'organization'>
  actorId: string | null
  /** The account or API key whose right has ended, for the audit log. */
  inviter: string
}

/** Revokes the pending invitations of an organization for which `made` is true, with one entry in the audit log for all. */
export async function endInvitations(
  tx: Tx,
  trail: Trail,
  { organizationId, actorId, inviter }: Revocation,
  made: (where: ExpressionBuilder<Tables, 'invitation'>) => Expression<SqlBool>,
): Promise<void> {
  const revoked = await tx
    .updateTable('invitation')
    .set({ status: 'revoked', revoked_at: trail.now })
    .where('organization_id', '=', organizationId)
    .where('status', '=', 'pending')
    .where(made)
    .returning('id')
    .execute()
  if (revoked.length === 0) return
  noteChanges(
    tx,
    'invitation',
    revoked.map(({ id }) => ({ id, organization_id: organizationId })),
  )
  // One entry for all: a bulk may have been thousands.
  await audit(tx, trail, {
    action: 'invitation.revoked',
    organizationId,
    actorId,
    details: { because: 'inviter', inviter, count: revoked.length },
  })
}
