import { getOwned } from '../../db/owned-row.ts'
import { callerOf } from '../../http/principal.ts'
import { NoCursor } from '../../http/schema/list.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { AccessDeps } from '../deps.ts'
import { FIXED_ROLES, RoleSchema, toRole } from './role-wire.ts'

/** List and read the roles of an organization. */
export function roleRoutes(server: Server, { database }: Pick<AccessDeps, 'database'>): void {
  server.get(
    '/v1/roles',
    {
      config: { access: 'roles:read' },
      schema: {
        tags: ['Roles'],
        operationId: 'listRoles',
        summary: 'List roles',
        description:
          'All roles: `administrator` and `member`, which every organization has, then its own, oldest first.',
        response: { 200: Type.Object({ data: Type.Array(RoleSchema), nextCursor: NoCursor }) },
      },
    },
    async (request) => {
      const rows = await database.db
        .selectFrom('role')
        .selectAll()
        .where('organization_id', '=', callerOf(request).organizationId)
        .orderBy('id')
        .execute()
      return { data: [...FIXED_ROLES, ...rows.map(toRole)], nextCursor: null }
    },
  )

  server.get(
    '/v1/roles/:id',
    {
      config: { access: 'roles:read' },
      schema: {
        tags: ['Roles'],
        operationId: 'readRole',
        summary: "Read a role of the organization's own",
        params: strict({ id: IdSchema('role') }),
        response: { 200: RoleSchema },
      },
    },
    async (request) =>
      toRole(await getOwned(database.db, 'role', request.params.id, callerOf(request).organizationId)),
  )
}
