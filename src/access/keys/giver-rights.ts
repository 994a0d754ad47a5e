import type { Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Tables } from '../../db/tables/tables.ts'
import {
  isOwnRole,
  lackOf,
  type Permissions,
  permissionRow,
  permissionsOf,
  type RoleName,
} from '../../http/permissions.ts'
import { mustReach } from './key-addresses.ts'
import { mustHaveAll } from './key-scopes.ts'

type Key = Tables['api_key']

/** Permissions that let a key make members, independent of its other scopes. */
const MAKES_MEMBERS = ['invitations:write', 'members:write'] as const

/** The caller's right as `mustStillHave` returns it. */
interface Giver {
  role: RoleName
  permissions: Permissions
  addresses: string | null
  until: Millis | null
}

/**
 * Checks that a caller makes, changes or rotates no key that has more than the caller: permissions, networks and time.
 * @throws ApiError FORBIDDEN `scope_required`, `permission_required`, `beyond_own_addresses`, `beyond_own_expiry`
 */
export function mustCover(
  giver: Giver,
  key: Pick<Key, 'role' | 'scopes' | 'allowed_addresses' | 'expires_at'>,
): void {
  const given = permissionsOf(key.role, key.scopes)
  mustHaveAll(giver, given)
  // A maker with fewer permissions than a member may not make a key that makes members.
  if (isOwnRole(giver.role) && MAKES_MEMBERS.some((name) => given.has(name)))
    mustHaveAll(giver, permissionsOf('member'))
  mustReach(giver.addresses, key.allowed_addresses)
  if (giver.until !== null && (key.expires_at === null || key.expires_at > giver.until))
    throw new ApiError('FORBIDDEN', { reason: 'beyond_own_expiry' })
}

/**
 * Checks that a caller who gets a secret of another service account may reach its data, because the secret gives access to it.
 * @throws ApiError FORBIDDEN with the first permission that is lacking, such as `runs:all`
 */
export function mustReachOwned(
  giver: Pick<Giver, 'role' | 'permissions'>,
  { role, scopes }: Pick<Key, 'role' | 'scopes'>,
): void {
  for (const name of permissionsOf(role, scopes)) {
    const { all } = permissionRow(name)
    if (all !== undefined && !giver.permissions.has(all)) throw lackOf(giver.role, all)
  }
}
