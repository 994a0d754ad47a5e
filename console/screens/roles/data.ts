import type { OrganizationRole } from '#sdk/postern.ts'
import { useMay } from '../../app/access.ts'
import { type Data, useData } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { type Permission, rights } from '../../app/data/session.ts'
import { usePlace } from '../../app/router.ts'
import { useStore } from '../../app/store.ts'
import { textOf } from '../../app/words.ts'

/** All roles: `administrator` and `member`, then those of the organization. Nothing is read where the person may not. */
export function useRoles(): Data<readonly OrganizationRole[]> {
  const mayRead = useMay()('roles:read')
  return useData(mayRead ? 'roles' : undefined, async (how) => (await postern.roles.list(how).page()).data)
}

/** What stands where roles cannot be read: every organization has these. */
const FIXED = [
  ['member', 'member'],
  ['administrator', 'administrator'],
] as const

/** The roles that the person can give, for a field: those that permit no more than their own. */
export function useRoleOptions(): readonly (readonly [id: string, name: string])[] {
  const { data } = useRoles()
  const { isWithin } = useOwnPermissions()
  if (data === undefined) return FIXED
  const given = data.filter(({ permissions }) => isWithin(permissions))
  // The lowest first: it is what a field begins with.
  const order = ({ id }: OrganizationRole) => ['member', 'administrator'].indexOf(String(id)) >>> 0
  return given
    .toSorted((a, b) => order(a) - order(b))
    .map(({ id, name }) => [String(id), textOf(name)] as const)
}

/** What the person may do here. */
export function useOwnPermissions() {
  const held = useStore(rights)[usePlace().organizationId ?? '']
  const may = (permission: string) => held?.includes(permission as Permission) !== false
  return {
    may,
    /** Whether all of these are permitted to the person, which the server asks of who gives or changes a role. */
    isWithin: (permissions: readonly string[]) => permissions.every(may),
  }
}
