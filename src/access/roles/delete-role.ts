import { audit, trailOf } from '../../audit/audit.ts'
import type { Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { type Id, parseId } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import { getOwned } from '../../db/owned-row.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { callerOf } from '../../http/principal.ts'
import { mustStillHave } from '../../http/recheck-right.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { lockOrganization } from '../../organizations/organizations.ts'
import type { AccessDeps } from '../deps.ts'
import { mustHaveAll } from '../keys/key-scopes.ts'
import { roleOfRow } from './role-store.ts'

/** `DELETE /v1/roles/{id}`. */
export function deleteRoleRoutes(server: Server, { database }: Pick<AccessDeps, 'database'>): void {
  server.delete(
    '/v1/roles/:id',
    {
      config: { access: 'roles:write' },
      schema: {
        tags: ['Roles'],
        operationId: 'deleteRole',
        summary: 'Delete a role',
        description:
          'Refused with `role_in_use` while a member has the role, a pending invitation names it, or a group of the directory or an identity provider gives it: first give those members and groups another role, and revoke those invitations. The caller must have every permission of the role.',
        params: strict({ id: IdSchema('role') }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const { organizationId, actorId } = caller
      const id = parseId('role', request.params.id)
      await database.tx(async (tx) => {
        await lockOrganization(tx, organizationId)
        const giver = await mustStillHave(tx, caller, 'roles:write', request.now)
        // Invitations are locked before the role, in the order of an acceptance, which locks its invitation and then reads the role.
        await expireInvitations(tx, organizationId, id, request.now)
        const row = await getOwned(tx, 'role', id, organizationId, lock)
        mustHaveAll(giver, roleOfRow(row).permissions)
        await mustBeUnused(tx, row)
        await tx.deleteFrom('role').where('id', '=', id).execute()
        await audit(tx, trailOf(request), {
          action: 'role.deleted',
          ...{ organizationId, actorId, targetId: id },
          details: { name: row.name },
        })
      })
      return reply.code(204).send(null)
    },
  )
}

/** Marks expired pending invitations to a role as expired, so that none can be sent again. */
async function expireInvitations(
  tx: Tx,
  organizationId: Id<'organization'>,
  id: Id<'role'>,
  now: Millis,
): Promise<void> {
  await tx
    .updateTable('invitation')
    .set({ status: 'expired' })
    .where('organization_id', '=', organizationId)
    .where('role_id', '=', id)
    .where('status', '=', 'pending')
    .where('expires_at', '<=', now)
    .execute()
}

/** @throws ApiError FORBIDDEN `role_in_use` */
async function mustBeUnused(tx: Tx, role: Tables['role']): Promise<void> {
  const { id } = role
  const members = await tx
    .selectFrom('membership')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('role_id', '=', id)
    .executeTakeFirstOrThrow()
  const invitations = await tx
    .selectFrom('invitation')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('role_id', '=', id)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow()
  const groups = await tx
    .selectFrom('scim_group')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('role_id', '=', id)
    .executeTakeFirstOrThrow()
  const { organization_id } = role
  const providers = await tx
    .selectFrom('identity_provider')
    .select(['default_role', 'role_rules'])
    .where('organization_id', '=', organization_id)
    .execute()
  const giving = providers.filter((one) => one.default_role === id || one.role_rules.includes(`"${id}"`))
  const use = {
    ...{ members: Number(members.count), invitations: Number(invitations.count) },
    groups: Number(groups.count),
    identityProviders: giving.length,
  }
  if (use.members + use.invitations + use.groups + use.identityProviders > 0)
    throw new ApiError('FORBIDDEN', { reason: 'role_in_use', ...use })
}
