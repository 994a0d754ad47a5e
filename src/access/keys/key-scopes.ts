import { ApiError } from '../../core/errors.ts'
import type { Role } from '../../db/tables/tables.ts'
import {
  lackOf,
  PERMISSION_NAMES,
  type Permission,
  type Permissions,
  permissionRow,
  permissionsOf,
  type RoleName,
} from '../../http/permissions.ts'
import { Type } from '../../http/schema/type.ts'

/** Scopes in a request. */
export const ScopesSchema = Type.Array(
  Type.Unsafe<Permission>(Type.String({ enum: PERMISSION_NAMES, title: 'Scope' })),
  { minItems: 1, maxItems: PERMISSION_NAMES.length },
)

/** The rights of a key: a role and scopes, in the form of its columns. */
interface Grant {
  role: Role
  /** A JSON list in the order of the table; null: all permissions of the role. */
  scopes: string | null
}

/**
 * The role and the scopes of a request; by default the lowest role with all the scopes.
 * @throws ApiError VALIDATION_FAILED where the role does not have a scope
 */
export function readGrant({
  role: asked,
  scopes,
}: {
  role?: Role | undefined
  scopes?: Permission[] | null | undefined
}): Grant {
  if (scopes === undefined || scopes === null) return { role: asked ?? 'member', scopes: null }
  const isForMembers = scopes.every((name) => permissionRow(name).role === 'member')
  const role = asked ?? (isForMembers ? 'member' : 'administrator')
  const beyond = scopes.findIndex((name) => !permissionsOf(role).has(name))
  if (beyond >= 0)
    throw new ApiError('VALIDATION_FAILED', {
      ...{ field: `scopes.${beyond}`, value: scopes[beyond], reason: 'not_of_role' },
    })
  return { role, scopes: scopesColumn(scopes) }
}

/** Scopes as the column of a key holds them: a JSON list in the order of the table. */
export function scopesColumn(scopes: readonly Permission[]): string {
  return JSON.stringify(PERMISSION_NAMES.filter((name) => scopes.includes(name)))
}

/**
 * Checks that a caller has all permissions that it gives.
 * @param giver its role and permissions, read in the transaction
 * @throws ApiError FORBIDDEN with the first permission that is lacking
 */
export function mustHaveAll(
  giver: { role: RoleName; permissions: Permissions },
  given: Iterable<Permission>,
): void {
  for (const name of given) if (!giver.permissions.has(name)) throw lackOf(giver.role, name)
}
