import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import type { RoleName } from '../../http/permissions.ts'
import { roleOf } from './role-columns.ts'

/** The roles of users by their groups: that of the group with the highest priority, of equal ones the oldest. */
export async function findGivenRoles(
  tx: Tx,
  users: Id<'scimUser'>[],
): Promise<Map<Id<'scimUser'>, RoleName>> {
  if (users.length === 0) return new Map()
  const rows = await tx
    .selectFrom('scim_group_member')
    .innerJoin('scim_group', 'scim_group.id', 'scim_group_member.group_id')
    .select(['user_id', 'role', 'role_id'])
    .where('user_id', 'in', users)
    .where('role', 'is not', null)
    .orderBy('priority', 'desc')
    .orderBy('scim_group.id')
    .execute()
  const given = new Map<Id<'scimUser'>, RoleName>()
  for (const { user_id, role, role_id } of rows)
    if (role !== null && !given.has(user_id)) given.set(user_id, roleOf({ role, role_id }))
  return given
}

/**
 * The role that groups of the directory give to an account. While a group gives one, roles from an identity provider have no effect. `tx` has
 * locked the organization.
 */
export async function findRoleOfAccount(
  tx: Tx,
  organizationId: Id<'organization'>,
  accountId: Id<'account'>,
): Promise<RoleName | undefined> {
  const user = await tx
    .selectFrom('scim_user')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', accountId)
    .where('active', '=', 1)
    .executeTakeFirst()
  return user && (await findGivenRoles(tx, [user.id])).get(user.id)
}
