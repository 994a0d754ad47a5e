import { trailOf } from '../../audit/audit.ts'
import { toIso } from '../../core/clock.ts'
import { type Id, parseId } from '../../core/id.ts'
import { afterCommit, type Db, type Tx } from '../../db/database.ts'
import { notFound } from '../../db/owned-row.ts'
import { callerOf } from '../../http/principal.ts'
import { mustStillHave } from '../../http/recheck-right.ts'
import { inPage, Page, PageQuery, type PageRequest, readPage, toPage } from '../../http/schema/list.ts'
import { findPage, searchOf } from '../../http/schema/search.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { IdSchema, Moment, Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { lockOrganization } from '../../organizations/organizations.ts'
import { changeRole } from '../accounts/change-role.ts'
import { endMembership } from '../accounts/end-membership.ts'
import { holdRole, mustBeAbleToGive, RoleNameSchema, readRoleName } from '../accounts/given-role.ts'
import { roleNameOf, roleOf } from '../accounts/role-columns.ts'
import type { AccessDeps } from '../deps.ts'

type MemberDeps = Pick<AccessDeps, 'database' | 'publish' | 'credentials'>

const MemberSchema = Type.Object({
  accountId: Type.String(),
  email: Type.String(),
  firstName: Nullable(Type.String()),
  lastName: Nullable(Type.String()),
  role: Type.String(),
  roleName: Type.String(),
  joinedAt: Moment,
})

const ById = strict({ id: IdSchema('organization') })
const ByMember = strict({ id: IdSchema('organization'), accountId: IdSchema('account') })

/** The members of the organization that the token is for. */
export function memberRoutes(server: Server, { database, publish, credentials }: MemberDeps): void {
  server.get(
    '/v1/organizations/:id/members',
    {
      config: { access: 'members:read' },
      schema: {
        tags: ['Organizations'],
        operationId: 'listMembers',
        summary: 'List members',
        params: ById,
        querystring: strict({ ...PageQuery, search: searchOf('their name or e-mail address') }),
        response: { 200: Page(MemberSchema) },
      },
    },
    async (request) => {
      const organizationId = ownOrganization(request, request.params.id)
      const page = readPage('account', request.query)
      const rows = await findMembers(database.db, organizationId, request.query.search, page)
      return toPage(rows, page, toMember)
    },
  )

  server.patch(
    '/v1/organizations/:id/members/:accountId',
    {
      config: { access: 'members:write' },
      schema: {
        tags: ['Organizations'],
        operationId: 'changeMemberRole',
        summary: "Change a member's role",
        description:
          'The role must not have more permissions than the caller. Pending invitations that the member could not make with the new role are revoked. Service accounts and API keys that the member made stay: `GET /v1/api-keys?createdBy=` lists the keys.',
        params: ByMember,
        body: strict({ role: RoleNameSchema }),
        response: { 200: MemberSchema },
      },
    },
    async (request) => {
      const organizationId = ownOrganization(request, request.params.id)
      const accountId = parseId('account', request.params.accountId, 'accountId')
      const caller = callerOf(request)
      const { actorId } = caller
      return database.tx(async (tx) => {
        // Changes of an organization's members run one after the other, so that each sees the result of the last one.
        await lockOrganization(tx, organizationId)
        const giver = await mustStillHave(tx, caller, 'members:write', request.now)
        const role = await holdRole(tx, organizationId, readRoleName(request.body.role))
        mustBeAbleToGive(giver, role)
        const change = { organizationId, accountId, role, actorId }
        await changeRole(tx, publish, trailOf(request), change)
        afterCommit(tx, credentials.clear)
        return toMember(await getMember(tx, organizationId, accountId))
      })
    },
  )

  server.delete(
    '/v1/organizations/:id/members/:accountId',
    {
      config: { access: 'members:write' },
      schema: {
        tags: ['Organizations'],
        operationId: 'removeMember',
        summary: 'Remove a member',
        description:
          'Their tokens for this organization stop working, and their pending invitations are revoked. Service accounts and API keys that they made stay, unless `endKeys` is true; the audit log names the keys that stay, and `GET /v1/api-keys?createdBy=` lists them.',
        params: ByMember,
        querystring: strict({
          endKeys: Type.Optional(
            Type.Boolean({
              default: false,
              description:
                'Also deletes the API keys that the member made or rotated, and the keys that were made with those; requires `keys:write` as well.',
            }),
          ),
        }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const organizationId = ownOrganization(request, request.params.id)
      const accountId = parseId('account', request.params.accountId, 'accountId')
      const caller = callerOf(request)
      const endKeys = request.query.endKeys ?? false
      const { actorId } = caller
      await database.tx(async (tx) => {
        await lockOrganization(tx, organizationId)
        await mustStillHave(tx, caller, 'members:write', request.now)
        if (endKeys) await mustStillHave(tx, caller, 'keys:write', request.now)
        const ending = { organizationId, accountId, actorId, endKeys }
        await endMembership(tx, publish, trailOf(request), ending)
        afterCommit(tx, credentials.clear)
      })
      return reply.code(204).send(null)
    },
  )

  server.delete(
    '/v1/organizations/:id/members/me',
    {
      config: { access: 'caller' },
      schema: {
        tags: ['Organizations'],
        operationId: 'leaveOrganization',
        summary: 'Leave the organization',
        description:
          'The effects are those of a removal. The last administrator cannot leave. An API key is not a member and cannot leave.',
        params: ById,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const organizationId = ownOrganization(request, request.params.id)
      const caller = callerOf(request)
      if (caller.kind !== 'account') throw notFound('accountId', 'me')
      const { accountId } = caller
      await database.tx(async (tx) => {
        await endMembership(tx, publish, trailOf(request), { organizationId, accountId, actorId: accountId })
        afterCommit(tx, credentials.clear)
      })
      return reply.code(204).send(null)
    },
  )
}

/** A token is for one organization; any other answers as one that does not exist. @throws ApiError ENTITY_NOT_FOUND */
export function ownOrganization(request: Parameters<typeof callerOf>[0], text: string): Id<'organization'> {
  const id = parseId('organization', text)
  if (id !== callerOf(request).organizationId) throw notFound('id', id)
  return id
}

function selectMembers(db: Db | Tx, organizationId: Id<'organization'>) {
  return db
    .selectFrom('membership')
    .innerJoin('account', 'account.id', 'membership.account_id')
    .leftJoin('role', 'role.id', 'membership.role_id')
    .select([
      'account.id',
      'account.email',
      'account.first_name',
      'account.last_name',
      'membership.role',
      'membership.role_id',
      'role.name as role_name',
      'membership.created_at',
    ])
    .where('membership.organization_id', '=', organizationId)
}

/** A page of an organization's members. */
function findMembers(
  db: Db,
  organizationId: Id<'organization'>,
  search: string | undefined,
  page: PageRequest<'account'>,
): Promise<Member[]> {
  const whole = selectMembers(db, organizationId)
  return findPage(
    page,
    search,
    async (part) => {
      const members = await whole.$call(inPage(part, 'membership.account_id')).execute()
      return members.map(({ id, email, first_name, last_name }) => ({
        ...{ id, email, name: `${first_name ?? ''} ${last_name ?? ''}` },
      }))
    },
    (ofPage) => whole.$call(ofPage).execute(),
    'membership.account_id',
  )
}

type Member = Awaited<ReturnType<ReturnType<typeof selectMembers>['executeTakeFirstOrThrow']>>

function toMember(row: Member): Static<typeof MemberSchema> {
  return {
    accountId: row.id,
    email: row.email,
    firstName: row.first_name,
    lastName: row.last_name,
    role: roleOf(row),
    roleName: roleNameOf(row) ?? row.role,
    joinedAt: toIso(row.created_at),
  }
}

/** @throws ApiError ENTITY_NOT_FOUND */
async function getMember(
  tx: Tx,
  organizationId: Id<'organization'>,
  accountId: Id<'account'>,
): Promise<Member> {
  const row = await selectMembers(tx, organizationId).where('account.id', '=', accountId).executeTakeFirst()
  if (row === undefined) throw notFound('accountId', accountId)
  return row
}
