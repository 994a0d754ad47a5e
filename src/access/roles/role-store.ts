import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'
import { ROLES, type Tables } from '../../db/tables/tables.ts'
import { rightsOf } from '../../http/permissions.ts'
import type { GivenRole } from '../accounts/given-role.ts'
import { roleOf } from '../accounts/role-columns.ts'

type Role = Tables['role']

/** The id of a role and the permissions of its holders. */
export function roleOfRow({ id, permissions }: Pick<Role, 'id' | 'permissions'>): GivenRole {
  const { role: name, permissions: those } = rightsOf({ role: 'member', role_id: id, permissions })
  return { name, permissions: those }
}

/** The role of an invitation. A deleted role has no permissions. */
export async function readRole(
  tx: Tx,
  held: Pick<Tables['invitation'], 'role' | 'role_id'>,
): Promise<GivenRole> {
  const row = await tx
    .selectFrom('role')
    .select('permissions')
    .where('id', '=', held.role_id ?? ('' as Id<'role'>))
    .executeTakeFirst()
  const { permissions } = rightsOf({ ...held, permissions: row?.permissions ?? null })
  return { name: roleOf(held), permissions }
}

/** The names of roles by their ids. */
export async function findRoleNames(db: Db | Tx, ids: Id<'role'>[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('role').select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/**
 * Checks that no other role of the organization has a name; upper and lower case count as equal. `tx` must have locked the organization.
 * @param own the role that is renamed; undefined for a new one
 * @throws ApiError DUPLICATE
 */
export async function mustBeFree(
  tx: Tx,
  organizationId: Id<'organization'>,
  name: string,
  own?: Id<'role'>,
): Promise<void> {
  const rows = await tx
    .selectFrom('role')
    .select(['id', 'name'])
    .where('organization_id', '=', organizationId)
    .execute()
  const others = rows.filter(({ id }) => id !== own).map((other) => foldCase(other.name))
  if ([...ROLES, ...others].includes(foldCase(name)))
    throw new ApiError('DUPLICATE', { field: 'name', value: name })
}

const foldCase = (name: string) => name.normalize('NFKC').toLowerCase()
