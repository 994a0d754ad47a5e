import { audit, type Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import { notFound } from '../../db/owned-row.ts'
import type { Role } from '../../db/tables/tables.ts'
import type { Publish } from '../../delivery/publish/publish.ts'
import { endAdministration } from './end-administration.ts'
import { keepAdministrator } from './keep-administrator.ts'

interface RoleChange {
  organizationId: Id<'organization'>
  accountId: Id<'account'>
  role: Role
  actorId: string
}

/**
 * Gives a member another role. An administrator who becomes a member loses what was made as an administrator.
 * @throws ApiError FORBIDDEN `last_administrator`, ENTITY_NOT_FOUND
 */
export async function changeRole(
  tx: Tx,
  publish: Publish,
  trail: Trail,
  { organizationId, accountId, role, actorId }: RoleChange,
): Promise<void> {
  if (role === 'member') await keepAdministrator(tx, organizationId, accountId)
  const membership = tx
    .selectFrom('membership')
    .select('role')
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', accountId)
  const before = await lock(tx, membership).executeTakeFirst()
  if (before === undefined) throw notFound('accountId', accountId)
  if (before.role === role) return
  await tx
    .updateTable('membership')
    .set({ role })
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', accountId)
    .execute()
  if (role === 'member') await endAdministration(tx, trail, { organizationId, accountId, actorId })
  await audit(tx, trail, {
    action: 'member.role_changed',
    organizationId,
    accountId,
    actorId,
    targetId: accountId,
    details: { from: before.role, to: role },
  })
  await publish(tx, trail.now, {
    organizationId,
    type: 'member.role_changed',
    data: { accountId, from: before.role, to: role },
  })
}
