import { audit, type Trail, trailOf } from '../../audit/audit.ts'
import { afterCommit, type Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import { getOwned } from '../../db/owned-row.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { callerOf } from '../../http/principal.ts'
import { mustStillHave } from '../../http/recheck-right.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { lockOrganization } from '../../organizations/organizations.ts'
import { endAdministration } from '../accounts/end-administration.ts'
import type { AccessDeps } from '../deps.ts'
import { mustHaveAll, scopesColumn } from '../keys/key-scopes.ts'
import { mustBeFree, roleOfRow } from './role-store.ts'
import { RoleFields, RoleSchema, toRole } from './role-wire.ts'

/** `PATCH /v1/roles/{id}`. */
export function updateRoleRoutes(
  server: Server,
  { database, credentials }: Pick<AccessDeps, 'database' | 'credentials'>,
): void {
  server.patch(
    '/v1/roles/:id',
    {
      config: { access: 'roles:write' },
      schema: {
        tags: ['Roles'],
        operationId: 'updateRole',
        summary: 'Change a role',
        description:
          'The caller must have every permission that the role has before and after. A change of `permissions` takes effect for all holders of the role within five seconds, also in open streams; their pending invitations that they could no longer make are revoked.',
        params: strict({ id: IdSchema('role') }),
        body: strict(
          {
            name: Type.Optional(RoleFields.name),
            description: Type.Optional(RoleFields.description),
            permissions: Type.Optional(RoleFields.permissions),
          },
          { minProperties: 1 },
        ),
        response: { 200: RoleSchema },
      },
    },
    async (request) => {
      const { now, body } = request
      const caller = callerOf(request)
      const { organizationId, actorId } = caller
      return database.tx(async (tx) => {
        await lockOrganization(tx, organizationId)
        const giver = await mustStillHave(tx, caller, 'roles:write', now)
        const before = await getOwned(tx, 'role', request.params.id, organizationId, lock)
        mustHaveAll(giver, roleOfRow(before).permissions)
        mustHaveAll(giver, body.permissions ?? [])
        const name = body.name?.trim() ?? before.name
        if (name !== before.name) await mustBeFree(tx, organizationId, name, before.id)
        const after: Tables['role'] = {
          ...before,
          name,
          description: body.description === undefined ? before.description : body.description,
          permissions: body.permissions === undefined ? before.permissions : scopesColumn(body.permissions),
          updated_at: now,
        }
        const { description, permissions, updated_at } = after
        await tx
          .updateTable('role')
          .set({ name, description, permissions, updated_at })
          .where('id', '=', before.id)
          .execute()
        const trail = trailOf(request)
        await audit(tx, trail, {
          action: 'role.updated',
          ...{ organizationId, actorId, targetId: before.id },
          details: { name, changed: Object.keys(body).join(' '), ...changeOf(before, after) },
        })
        if (permissions !== before.permissions) {
          await endBeyond(tx, trail, after, actorId)
          afterCommit(tx, credentials.clear)
        }
        return toRole(after)
      })
    },
  )
}

/** The permissions that a change added and removed, for the audit log. */
function changeOf(before: Tables['role'], after: Tables['role']): Record<string, string> {
  const [old, now] = [roleOfRow(before).permissions, roleOfRow(after).permissions]
  const added = [...now].filter((name) => !old.has(name))
  const removed = [...old].filter((name) => !now.has(name))
  return {
    ...(added.length === 0 ? {} : { added: added.join(' ') }),
    ...(removed.length === 0 ? {} : { removed: removed.join(' ') }),
  }
}

/** Ends the pending invitations and setup links that the holders of a role could no longer make. `tx` must have changed its row. */
async function endBeyond(tx: Tx, trail: Trail, row: Tables['role'], actorId: string): Promise<void> {
  const inviters = await tx
    .selectFrom('membership')
    .innerJoin('invitation', (join) =>
      join
        .onRef('invitation.inviter_id', '=', 'membership.account_id')
        .onRef('invitation.organization_id', '=', 'membership.organization_id'),
    )
    .select('membership.account_id')
    .distinct()
    .where('membership.role_id', '=', row.id)
    .where('invitation.status', '=', 'pending')
    .union(
      tx
        .selectFrom('membership')
        .innerJoin('setup_link', (join) =>
          join
            .onRef('setup_link.created_by', '=', 'membership.account_id')
            .onRef('setup_link.organization_id', '=', 'membership.organization_id'),
        )
        .select('membership.account_id')
        .where('membership.role_id', '=', row.id)
        .where('setup_link.status', 'in', ['pending', 'opened']),
    )
    .orderBy('account_id')
    .execute()
  const right = { organizationId: row.organization_id, actorId, kept: roleOfRow(row) }
  for (const { account_id: accountId } of inviters)
    await endAdministration(tx, trail, { ...right, accountId })
}
