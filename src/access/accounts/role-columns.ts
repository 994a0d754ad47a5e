import type { Id } from '../../core/id.ts'
import type { Role } from '../../db/tables/tables.ts'
import { isOwnRole, type RoleName } from '../../http/permissions.ts'

/** A role as memberships and invitations hold it. */
interface RoleColumns {
  role: Role
  /** A role of the organization's own; null: the fixed one. */
  role_id: Id<'role'> | null
}

/** The columns of a role. A role of the organization has `member` as its fixed role, so that it never counts as an administrator. */
export function columnsOf(name: RoleName): RoleColumns {
  return isOwnRole(name) ? { role: 'member', role_id: name } : { role: name, role_id: null }
}

/** The name of a role in requests, answers and events: a fixed name, or an id. */
export function roleOf({ role, role_id }: RoleColumns): RoleName {
  return role_id ?? role
}

/** The displayed name of a role; null where the role was deleted since. */
export function roleNameOf({
  role,
  role_id,
  role_name,
}: RoleColumns & { role_name: string | null }): string | null {
  return role_id === null ? role : role_name
}
