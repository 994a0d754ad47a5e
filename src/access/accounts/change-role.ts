import { audit, type Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import { notFound } from '../../db/owned-row.ts'
import type { Publish } from '../../delivery/publish/publish.ts'
import { endAdministration } from './end-administration.ts'
import type { GivenRole } from './given-role.ts'
import { keepAdministrator } from './keep-administrator.ts'
import { columnsOf, roleOf } from './role-columns.ts'

interface RoleChange {
  organizationId: Id<'organization'>
  accountId: Id<'account'>
  role: GivenRole
  actorId: string
  /** The automatic cause of the change; absent for a person's request. */
  because?: 'scim_group' | 'identity_provider'
}

/**
 * Changes a member's role. Invitations and setup links end whose permission the new role lacks.
 * @throws ApiError FORBIDDEN `last_administrator`, ENTITY_NOT_FOUND
 */
export async function changeRole(
  tx: Tx,
  publish: Publish,
  trail: Trail,
  { organizationId, accountId, role, actorId, because }: RoleChange,
): Promise<void> {
  if (role.name !== 'administrator') await keepAdministrator(tx, organizationId, accountId)
  const membership = tx
    .selectFrom('membership')
    .select(['role', 'role_id'])
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', accountId)
  const before = await lock(tx, membership).executeTakeFirst()
  if (before === undefined) throw notFound('accountId', accountId)
  const from = roleOf(before)
  if (from === role.name) return
  await tx
    .updateTable('membership')
    .set({ ...columnsOf(role.name), ...(role.name !== 'administrator' && { own_sign_in_at: null }) })
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', accountId)
    .execute()
  await endAdministration(tx, trail, { organizationId, accountId, actorId, kept: role })
  await audit(tx, trail, {
    action: 'member.role_changed',
    organizationId,
    accountId,
    actorId,
    targetId: accountId,
    details: { from, to: role.name, ...(because !== undefined && { because }) },
  })
  await publish(tx, trail.now, {
    organizationId,
    type: 'member.role_changed',
    data: { accountId, from, to: role.name },
  })
}
