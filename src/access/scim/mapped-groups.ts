import { audit, trailOf } from '../../audit/audit.ts'
import { toIso } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'
import { getOwned } from '../../db/owned-row.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { callerOf } from '../../http/principal.ts'
import { inPage, Page, PageQuery, readPage, toPage } from '../../http/schema/list.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { IdSchema, Moment, Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { lockOrganization } from '../../organizations/organizations.ts'
import { holdRole, RoleNameSchema, readRoleName } from '../accounts/given-role.ts'
import { columnsOf, roleNameOf, roleOf } from '../accounts/role-columns.ts'
import { mustBeAbleToVouch } from '../identity-providers/provider-settings.ts'
import { findRoleNames } from '../roles/role-store.ts'
import type { ScimDeps } from './deps.ts'
import { findMembers } from './group-store.ts'
import { applyRoles } from './role-job.ts'

type Group = Tables['scim_group']

const HIGHEST_PRIORITY = 1_000

const GroupSchema = Type.Object(
  {
    id: Type.String(),
    displayName: Type.String(),
    externalId: Nullable(Type.String()),
    users: Type.Integer(),
    role: Nullable(Type.String()),
    roleName: Nullable(Type.String()),
    priority: Type.Integer(),
    createdAt: Moment,
    updatedAt: Moment,
  },
  { title: 'ProvisionedGroup' },
)

/** `/v1/scim/groups`: the groups of the directory and the roles that they give. */
export function mappedGroupRoutes(server: Server, deps: ScimDeps): void {
  const { database } = deps

  server.get(
    '/v1/scim/groups',
    {
      config: { access: 'sign_in:read' },
      schema: {
        tags: ['Provisioning'],
        operationId: 'listProvisionedGroups',
        summary: 'List the groups of the directory',
        description: 'The groups that the directory provisions by SCIM, each with the role that it gives.',
        querystring: strict(PageQuery),
        response: { 200: Page(GroupSchema) },
      },
    },
    async (request) => {
      const page = readPage('scimGroup', request.query)
      const rows = await database.db
        .selectFrom('scim_group')
        .selectAll()
        .where('organization_id', '=', callerOf(request).organizationId)
        .$call(inPage(page))
        .execute()
      const toGroup = await describing(database.db, rows)
      return toPage(rows, page, toGroup)
    },
  )

  server.get(
    '/v1/scim/groups/:id',
    {
      config: { access: 'sign_in:read' },
      schema: {
        tags: ['Provisioning'],
        operationId: 'readProvisionedGroup',
        summary: 'Read a group of the directory',
        params: strict({ id: IdSchema('scimGroup') }),
        response: { 200: GroupSchema },
      },
    },
    async (request) => {
      const { organizationId } = callerOf(request)
      const row = await getOwned(database.db, 'scim_group', request.params.id, organizationId)
      return (await describing(database.db, [row]))(row)
    },
  )

  server.patch(
    '/v1/scim/groups/:id',
    {
      config: { access: 'sign_in:write' },
      schema: {
        tags: ['Provisioning'],
        operationId: 'changeProvisionedGroup',
        summary: 'Map a group to a role',
        description:
          'Its users get the role at once, as members and in pending invitations; for more than 100 users a job follows. A user of several groups gets the role of the group with the highest `priority`, and of equal ones that of the older group. The caller must have all permissions (`FORBIDDEN`, `reason: all_permissions_required`). If a group of the organization gives `administrator`, before or after, the caller must be a person, not an API key (`person_required`).',
        params: strict({ id: IdSchema('scimGroup') }),
        body: strict(
          {
            role: Type.Optional(Nullable(RoleNameSchema)),
            priority: Type.Optional(Type.Integer({ minimum: 0, maximum: HIGHEST_PRIORITY })),
          },
          { minProperties: 1 },
        ),
        response: { 200: GroupSchema },
      },
    },
    async (request) => {
      const { now, body } = request
      const caller = callerOf(request)
      const { organizationId, actorId } = caller
      const trail = trailOf(request)
      return database.tx(async (tx) => {
        await lockOrganization(tx, organizationId)
        // The role and priority of one group also decide which roles the other groups give, both higher and lower ones.
        await mustBeAbleToVouch(tx, caller, now)
        const before = await getOwned(tx, 'scim_group', request.params.id, organizationId)
        const isOfAdministrators =
          body.role === 'administrator' || (await givesAdministrator(tx, organizationId))
        if (isOfAdministrators && caller.kind !== 'account')
          throw new ApiError('FORBIDDEN', { reason: 'person_required', field: 'role' })
        const given = typeof body.role === 'string' ? readRoleName(body.role) : undefined
        if (given !== undefined) await holdRole(tx, organizationId, given)
        const kept = { role: before.role, role_id: before.role_id }
        const columns = given !== undefined ? columnsOf(given) : body.role === null ? NO_ROLE : kept
        const after: Group = {
          ...before,
          ...columns,
          priority: body.priority ?? before.priority,
          updated_at: now,
        }
        const { role, role_id, priority, updated_at } = after
        await tx
          .updateTable('scim_group')
          .set({ role, role_id, priority, updated_at })
          .where('id', '=', before.id)
          .execute()
        await audit(tx, trail, {
          action: 'scim_group.mapped',
          ...{ organizationId, actorId, targetId: before.id },
          details: { displayName: before.display_name, from: nameOf(before), to: nameOf(after), priority },
        })
        const users = (await findMembers(tx, [before.id])).get(before.id) ?? []
        await applyRoles(tx, deps, trail, { organizationId, actorId, users })
        return (await describing(tx, [after]))(after)
      })
    },
  )
}

const NO_ROLE = { role: null, role_id: null }

const nameOf = ({ role, role_id }: Group): string => (role === null ? 'none' : roleOf({ role, role_id }))

/** Whether a group of an organization gives `administrator`. */
async function givesAdministrator(tx: Tx, organizationId: Id<'organization'>): Promise<boolean> {
  const found = await tx
    .selectFrom('scim_group')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'administrator')
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** Reads the numbers of users and the role names of groups. @returns converts a row */
async function describing(db: Db | Tx, rows: Group[]): Promise<(row: Group) => Static<typeof GroupSchema>> {
  const names = await findRoleNames(
    db,
    rows.flatMap(({ role_id }) => role_id ?? []),
  )
  const counts = await countUsers(
    db,
    rows.map(({ id }) => id),
  )
  return (row) => {
    const { role, role_id } = row
    const held = role === null ? undefined : { role, role_id }
    return {
      id: row.id,
      displayName: row.display_name,
      externalId: row.external_id,
      users: counts.get(row.id) ?? 0,
      role: held === undefined ? null : roleOf(held),
      roleName:
        held === undefined ? null : roleNameOf({ ...held, role_name: names.get(role_id ?? '') ?? null }),
      priority: row.priority,
      createdAt: toIso(row.created_at),
      updatedAt: toIso(row.updated_at),
    }
  }
}

async function countUsers(db: Db | Tx, ids: Id<'scimGroup'>[]): Promise<Map<Id<'scimGroup'>, number>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('scim_group_member')
    .select(({ fn }) => ['group_id', fn.countAll<number>().as('count')] as const)
    .where('group_id', 'in', ids)
    .groupBy('group_id')
    .execute()
  return new Map(rows.map(({ group_id, count }) => [group_id, Number(count)]))
}
