import { audit, type Trail } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import { afterCommit, noteChanges, type Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { RoleName } from '../../http/permissions.ts'
import { changeRole } from '../accounts/change-role.ts'
import { type GivenRole, holdRole } from '../accounts/given-role.ts'
import { findGivenRoles } from '../accounts/group-role.ts'
import { columnsOf, roleOf } from '../accounts/role-columns.ts'
import type { ScimDeps } from './deps.ts'

/** Users per statement. */
const AT_ONCE = 200

interface Whose {
  organizationId: Id<'organization'>
  /** The actor in the audit log. */
  actorId: string
}

/**
 * Gives users the roles of their groups, in memberships and pending invitations. A user who loses the role of the last such group becomes a
 * member; a user who never had a role from a group keeps the role that an administrator gave. The last administrator keeps the role.
 * Inactive users get none. `tx` has locked the organization.
 */
export async function applyGroupRoles(
  tx: Tx,
  deps: Pick<ScimDeps, 'publish' | 'credentials'>,
  trail: Trail,
  whose: Whose,
  users: Id<'scimUser'>[],
): Promise<void> {
  const held = new Map<RoleName, Promise<GivenRole>>()
  const hold = (name: RoleName) => {
    const role = held.get(name) ?? holdRole(tx, whose.organizationId, name)
    held.set(name, role)
    return role
  }
  for (let at = 0; at < users.length; at += AT_ONCE)
    await giveSome(tx, deps, trail, whose, users.slice(at, at + AT_ONCE), hold)
}

type User = Pick<Tables['scim_user'], 'id' | 'account_id' | 'email' | 'role_given'>

async function giveSome(
  tx: Tx,
  deps: Pick<ScimDeps, 'publish' | 'credentials'>,
  trail: Trail,
  whose: Whose,
  ids: Id<'scimUser'>[],
  hold: (name: RoleName) => Promise<GivenRole>,
): Promise<void> {
  const { organizationId } = whose
  const users: User[] = await tx
    .selectFrom('scim_user')
    .select(['id', 'account_id', 'email', 'role_given'])
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .where('active', '=', 1)
    .orderBy('id')
    .execute()
  const given = await findGivenRoles(tx, ids)
  const wanted = users.flatMap((user) => {
    const role = given.get(user.id) ?? (user.role_given === 1 ? ('member' as const) : undefined)
    return role === undefined ? [] : [{ user, role }]
  })
  if (wanted.length === 0) return
  await changeInvitations(tx, organizationId, wanted)
  // Memberships are read after the invitations, because an accepted invitation has become a membership.
  const members = await findMembers(tx, organizationId, users)
  for (const { user, role } of wanted) {
    const present = user.account_id === null ? undefined : members.get(user.account_id)
    if (user.account_id !== null && present !== undefined && present !== role)
      await changeOne(tx, deps, trail, whose, user.account_id, await hold(role))
  }
  await noteGiven(tx, users, given)
}

async function changeInvitations(
  tx: Tx,
  organizationId: Id<'organization'>,
  wanted: { user: User; role: RoleName }[],
): Promise<void> {
  const pending = await tx
    .selectFrom('invitation')
    .select(['id', 'email', 'role', 'role_id'])
    .where('organization_id', '=', organizationId)
    .where(
      'email',
      'in',
      wanted.map(({ user }) => user.email),
    )
    .where('status', '=', 'pending')
    .execute()
  const roleOfEmail = new Map(wanted.map(({ user, role }) => [user.email, role]))
  for (const invitation of pending) {
    const role = roleOfEmail.get(invitation.email)
    if (role === undefined || role === roleOf(invitation)) continue
    const changed = await tx
      .updateTable('invitation')
      .set(columnsOf(role))
      .where('id', '=', invitation.id)
      .where('status', '=', 'pending')
      .returning('id')
      .execute()
    noteChanges(
      tx,
      'invitation',
      changed.map(({ id }) => ({ id, organization_id: organizationId })),
    )
  }
}

async function findMembers(
  tx: Tx,
  organizationId: Id<'organization'>,
  users: User[],
): Promise<Map<Id<'account'>, RoleName>> {
  const accounts = users.flatMap(({ account_id }) => account_id ?? [])
  if (accounts.length === 0) return new Map()
  const rows = await tx
    .selectFrom('membership')
    .select(['account_id', 'role', 'role_id'])
    .where('organization_id', '=', organizationId)
    .where('account_id', 'in', accounts)
    .execute()
  return new Map(rows.map((row) => [row.account_id, roleOf(row)]))
}

async function changeOne(
  tx: Tx,
  { publish, credentials }: Pick<ScimDeps, 'publish' | 'credentials'>,
  trail: Trail,
  { organizationId, actorId }: Whose,
  accountId: Id<'account'>,
  role: GivenRole,
): Promise<void> {
  try {
    const change = { organizationId, accountId, role, actorId, because: 'scim_group' as const }
    await changeRole(tx, publish, trail, change)
    afterCommit(tx, credentials.clear)
  } catch (error) {
    // The refusal comes before any write, so the other users of the group still get their roles.
    const reason = error instanceof ApiError ? (error.details as { reason?: string }).reason : undefined
    if (reason !== 'last_administrator' && reason !== 'last_exception') throw error
    await audit(tx, trail, {
      action: 'scim_user.role_kept',
      ...{ organizationId, accountId, actorId, targetId: accountId },
      details: { because: reason, role: role.name },
    })
  }
}

async function noteGiven(tx: Tx, users: User[], given: Map<Id<'scimUser'>, RoleName>): Promise<void> {
  for (const flag of [0, 1] as const) {
    const ids = users.filter(({ id, role_given }) => role_given !== flag && given.has(id) === (flag === 1))
    if (ids.length === 0) continue
    await tx
      .updateTable('scim_user')
      .set({ role_given: flag })
      .where(
        'id',
        'in',
        ids.map(({ id }) => id),
      )
      .execute()
  }
}
