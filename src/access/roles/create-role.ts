import { audit, trailOf } from '../../audit/audit.ts'
import { newId } from '../../core/id.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { callerOf } from '../../http/principal.ts'
import { mustStillHave } from '../../http/recheck-right.ts'
import { Type } from '../../http/schema/type.ts'
import { strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { refuseBeyond } from '../../organizations/count-limit.ts'
import type { AccessDeps } from '../deps.ts'
import { mustHaveAll, scopesColumn } from '../keys/key-scopes.ts'
import { mustBeFree } from './role-store.ts'
import { RoleFields, RoleSchema, toRole } from './role-wire.ts'

/** Most roles of one organization, because every form that assigns a role lists all of them. */
const MOST_ROLES = 50

/** `POST /v1/roles`. */
export function createRoleRoutes(
  server: Server,
  { config, once }: Pick<AccessDeps, 'config' | 'once'>,
): void {
  server.post(
    '/v1/roles',
    {
      config: { access: 'roles:write', once: true },
      schema: {
        tags: ['Roles'],
        operationId: 'createRole',
        summary: 'Create a role',
        description: `A role is a named set of permissions. The caller must have each of them. \`role\` of members and invitations accepts its id. An organization may create ${MOST_ROLES} roles.`,
        body: strict({
          name: RoleFields.name,
          description: Type.Optional(RoleFields.description),
          permissions: RoleFields.permissions,
        }),
        response: { 201: RoleSchema },
      },
    },
    (request, reply) =>
      once(request, reply, async (tx) => {
        const { now, body } = request
        const caller = callerOf(request)
        const { organizationId, actorId } = caller
        const rows = tx.selectFrom('role').where('organization_id', '=', organizationId)
        await refuseBeyond(tx, organizationId, { rows, most: MOST_ROLES, reason: 'too_many_roles' })
        const giver = await mustStillHave(tx, caller, 'roles:write', now)
        mustHaveAll(giver, body.permissions)
        const name = body.name.trim()
        await mustBeFree(tx, organizationId, name)
        const row: Tables['role'] = {
          id: newId('role', now),
          organization_id: organizationId,
          name,
          description: body.description ?? null,
          permissions: scopesColumn(body.permissions),
          created_by: actorId,
          ...{ created_at: now, updated_at: now },
        }
        await tx.insertInto('role').values(row).execute()
        const made = toRole(row)
        await audit(tx, trailOf(request), {
          action: 'role.created',
          ...{ organizationId, actorId, targetId: row.id },
          details: { name, permissions: made.permissions.join(' ') },
        })
        const headers = { location: `${config.web.baseUrl}/v1/roles/${row.id}` }
        return { status: 201, body: made, headers }
      }),
  )
}
