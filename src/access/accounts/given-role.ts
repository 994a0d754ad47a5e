import { ID_PATTERN, type Id, LONGEST_ID, parseId } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { lockShared } from '../../db/locking.ts'
import { getOwned } from '../../db/owned-row.ts'
import { ROLES } from '../../db/tables/tables.ts'
import {
  isOwnRole,
  lackOf,
  type Permissions,
  permissionsOf,
  type RoleName,
  rightsOf,
} from '../../http/permissions.ts'
import { Type } from '../../http/schema/type.ts'

/** A role in a request. */
export const RoleNameSchema = Type.String({
  pattern: `^(${ROLES.join('|')}|${ID_PATTERN.role.slice(1, -1)})$`,
  maxLength: LONGEST_ID,
  examples: ['member'],
})

/** A role with its permissions, to be given to a member. */
export interface GivenRole {
  name: RoleName
  permissions: Permissions
}

/** @throws ApiError INVALID_UUID where a text is neither a fixed role nor an id */
export function readRoleName(text: string): RoleName {
  return ROLES.find((known) => known === text) ?? parseId('role', text, 'role')
}

/**
 * The role that a request names, of the organization. It is neither narrowed nor deleted until `tx` ends.
 * @throws ApiError INVALID_UUID; ENTITY_NOT_FOUND where the organization has no such role
 */
export async function holdRole(
  tx: Tx,
  organizationId: Id<'organization'>,
  name: RoleName,
): Promise<GivenRole> {
  if (!isOwnRole(name)) return { name, permissions: permissionsOf(name) }
  const { permissions } = await getOwned(tx, 'role', name, organizationId, lockShared, 'role')
  return { name, permissions: rightsOf({ role: 'member', role_id: name, permissions }).permissions }
}

interface Giver {
  role: RoleName
  permissions: Permissions
}

/**
 * Whether a caller may give a role: it may have no permission that the caller lacks. An API key may make members whatever its scopes are;
 * a person with a role of the organization may not.
 * @returns the first permission that is lacking
 */
export function lackToGive(giver: Giver, { name, permissions }: GivenRole) {
  if (name === 'member' && !isOwnRole(giver.role)) return undefined
  return [...permissions].find((one) => !giver.permissions.has(one))
}

/** @throws ApiError FORBIDDEN with the first permission that is lacking */
export function mustBeAbleToGive(giver: Giver, role: GivenRole): void {
  const lacking = lackToGive(giver, role)
  if (lacking !== undefined) throw lackOf(giver.role, lacking)
}
