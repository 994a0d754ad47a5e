import { audit, type Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import { noteChanges, type Tx } from '../../db/database.ts'

interface EndedRight {
  organizationId: Id<'organization'>
  /** The account or API key that loses the right to administer. */
  makerId: string
  /** Who ended it. */
  actorId: string | null
}

/**
 * Ends what an account or API key made as an administrator when that right ends: its pending invitations, and its API
 * keys with all that those keys made. The maker of a key has seen its secret, so a key that outlived the right would
 * keep it.
 *
 * `tx` must have changed or locked the row on which the right rests, so that nothing else is made on it until the commit.
 * @returns the maker, and the keys that went with it
 */
export async function endAdministration(
  tx: Tx,
  trail: Trail,
  { organizationId, makerId, actorId }: EndedRight,
): Promise<string[]> {
  const makers = [makerId]
  for (const maker of makers) {
    const keys = await tx
      .deleteFrom('api_key')
      .where('organization_id', '=', organizationId)
      .where('created_by', '=', maker)
      .returning(['id', 'name'])
      .execute()
    for (const { id, name } of keys) {
      makers.push(id)
      await audit(tx, trail, {
        action: 'api_key.deleted',
        organizationId,
        actorId,
        targetId: id,
        details: { name, because: 'maker', maker },
      })
    }
  }
  const revoked = await tx
    .updateTable('invitation')
    .set({ status: 'revoked', revoked_at: trail.now })
    .where('organization_id', '=', organizationId)
    .where('inviter_id', 'in', makers)
    .where('status', '=', 'pending')
    .returning('id')
    .execute()
  if (revoked.length === 0) return makers
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
    details: { because: 'inviter', inviter: makerId, count: revoked.length },
  })
  return makers
}
