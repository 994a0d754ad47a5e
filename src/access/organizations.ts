import { type Static, Type } from 'typebox'
import { toIso } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { type Id, parseId } from '../core/id.ts'
import { afterCommit, type Db, type Tx } from '../db/database.ts'
import { type Parameter, prepared } from '../db/prepared.ts'
import { ROLES, type Role } from '../db/tables.ts'
import { audit, trailOf } from '../http/audit.ts'
import { Page, PageQuery, readPage, toPage } from '../http/list.ts'
import { callerOf } from '../http/principal.ts'
import type { Server } from '../http/server.ts'
import { IdSchema, Moment, Nullable, strict } from '../http/validation.ts'
import type { AccessDeps } from './deps.ts'
import { revokeInvitationsOf } from './invitations.ts'
import { keepAdministrator } from './keep-administrator.ts'

type OrganizationDeps = Pick<AccessDeps, 'database' | 'publish' | 'credentials'>

const OrganizationSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  plan: Type.String(),
  role: Type.String({ description: 'The role of the caller.' }),
  createdAt: Moment,
})

const MemberSchema = Type.Object({
  accountId: Type.String(),
  email: Type.String(),
  firstName: Nullable(Type.String()),
  lastName: Nullable(Type.String()),
  role: Type.String(),
  joinedAt: Moment,
})

const ById = strict({ id: IdSchema('organization') })
const ByMember = strict({ id: IdSchema('organization'), accountId: IdSchema('account') })

interface ListValues {
  accountId: Id<'account'>
  before: Id<'organization'>
  take: number
}

const NOBODY = '' as Id<'account'>
/** Above every id: where a list begins. */
const BEYOND = 'zzzz' as Id<'organization'>

function selectOrganizations(db: Db, value: Parameter<ListValues>) {
  return db
    .selectFrom('organization')
    .leftJoin('membership', (join) =>
      join
        .onRef('membership.organization_id', '=', 'organization.id')
        .on('membership.account_id', '=', value('accountId')),
    )
    .select([
      'organization.id',
      'organization.name',
      'organization.plan',
      'organization.created_at',
      'membership.role',
    ])
    .where('organization.id', '<', value('before'))
    .orderBy('organization.id', 'desc')
    .limit(value('take'))
}

/** A person's organizations: those with a membership. */
const selectOwn = prepared<ListValues>()((db, value) =>
  selectOrganizations(db, value).where('membership.role', 'is not', null),
)
/** A key's organization. */
const selectOne = prepared<ListValues & { organizationId: Id<'organization'> }>()((db, value) =>
  selectOrganizations(db, value).where('organization.id', '=', value('organizationId')),
)

/** Organizations of the caller, and the members of the one the token is for. */
export function organizationRoutes(
  server: Server,
  { database, publish, credentials }: OrganizationDeps,
): void {
  server.get(
    '/v1/organizations',
    {
      config: { access: 'member' },
      schema: {
        tags: ['Organizations'],
        operationId: 'listOrganizations',
        summary: "List the caller's organizations",
        querystring: strict(PageQuery),
        response: { 200: Page(OrganizationSchema) },
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const page = readPage(request.query)
      const accountId = caller.kind === 'account' ? caller.accountId : NOBODY
      const values = {
        accountId,
        before: (page.before as Id<'organization'> | undefined) ?? BEYOND,
        take: page.take,
      }
      const rows =
        caller.kind === 'account'
          ? await selectOwn(database.db, values)
          : await selectOne(database.db, { ...values, organizationId: caller.organizationId })
      return toPage(rows, page, (row) => ({
        id: row.id,
        name: row.name,
        plan: row.plan,
        role: row.role ?? caller.role,
        createdAt: toIso(row.created_at),
      }))
    },
  )

  server.get(
    '/v1/organizations/:id/members',
    {
      config: { access: 'member' },
      schema: {
        tags: ['Organizations'],
        operationId: 'listMembers',
        summary: 'List members',
        params: ById,
        querystring: strict(PageQuery),
        response: { 200: Page(MemberSchema) },
      },
    },
    async (request) => {
      const organizationId = ownOrganization(request, request.params.id)
      const page = readPage(request.query)
      const rows = await selectMembers(database.db, organizationId)
        .$if(page.before !== undefined, (query) =>
          query.where('account.id', '<', page.before as Id<'account'>),
        )
        .orderBy('account.id', 'desc')
        .limit(page.take)
        .execute()
      return toPage(rows, page, toMember)
    },
  )

  server.patch(
    '/v1/organizations/:id/members/:accountId',
    {
      config: { access: 'administrator' },
      schema: {
        tags: ['Organizations'],
        operationId: 'changeMemberRole',
        summary: "Change a member's role",
        params: ByMember,
        body: strict({ role: Type.Unsafe<Role>(Type.String({ enum: ROLES })) }),
        response: { 200: MemberSchema },
      },
    },
    async (request) => {
      const organizationId = ownOrganization(request, request.params.id)
      const accountId = parseId('account', request.params.accountId, 'accountId')
      const { role } = request.body
      const { actorId } = callerOf(request)
      return database.tx(async (tx) => {
        const before = await getMember(tx, organizationId, accountId)
        if (before.role === role) return toMember(before)
        if (role === 'member') await keepAdministrator(tx, organizationId, accountId)
        await tx
          .updateTable('membership')
          .set({ role })
          .where('organization_id', '=', organizationId)
          .where('account_id', '=', accountId)
          .execute()
        if (role === 'member') await revokeInvitationsOf(tx, organizationId, accountId, request.now)
        await audit(tx, trailOf(request), {
          action: 'member.role_changed',
          organizationId,
          accountId,
          actorId,
          targetId: accountId,
          details: { from: before.role, to: role },
        })
        await publish(tx, request.now, {
          organizationId,
          type: 'member.role_changed',
          data: { accountId, from: before.role, to: role },
        })
        afterCommit(tx, credentials.clear)
        return toMember({ ...before, role })
      })
    },
  )

  server.delete(
    '/v1/organizations/:id/members/:accountId',
    {
      config: { access: 'administrator' },
      schema: {
        tags: ['Organizations'],
        operationId: 'removeMember',
        summary: 'Remove a member',
        description:
          'Their tokens for this organization stop working, and the invitations they sent and nobody accepted are revoked.',
        params: ByMember,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const organizationId = ownOrganization(request, request.params.id)
      const accountId = parseId('account', request.params.accountId, 'accountId')
      const { actorId } = callerOf(request)
      await database.tx(async (tx) => {
        await getMember(tx, organizationId, accountId)
        await keepAdministrator(tx, organizationId, accountId)
        await tx
          .deleteFrom('membership')
          .where('organization_id', '=', organizationId)
          .where('account_id', '=', accountId)
          .execute()
        await revokeInvitationsOf(tx, organizationId, accountId, request.now)
        await audit(tx, trailOf(request), {
          action: 'member.removed',
          organizationId,
          accountId,
          actorId,
          targetId: accountId,
        })
        await publish(tx, request.now, { organizationId, type: 'member.removed', data: { accountId } })
        afterCommit(tx, credentials.clear)
      })
      return reply.code(204).send(null)
    },
  )
}

/** A token is for one organization; every other one is as if it did not exist. @throws ApiError ENTITY_NOT_FOUND */
function ownOrganization(request: Parameters<typeof callerOf>[0], text: string): Id<'organization'> {
  const id = parseId('organization', text)
  if (id !== callerOf(request).organizationId)
    throw new ApiError('ENTITY_NOT_FOUND', { field: 'id', value: id })
  return id
}

function selectMembers(db: Db | Tx, organizationId: Id<'organization'>) {
  return db
    .selectFrom('membership')
    .innerJoin('account', 'account.id', 'membership.account_id')
    .select([
      'account.id',
      'account.email',
      'account.first_name',
      'account.last_name',
      'membership.role',
      'membership.created_at',
    ])
    .where('membership.organization_id', '=', organizationId)
}

type Member = Awaited<ReturnType<ReturnType<typeof selectMembers>['executeTakeFirstOrThrow']>>

function toMember(row: Member): Static<typeof MemberSchema> {
  return {
    accountId: row.id,
    email: row.email,
    firstName: row.first_name,
    lastName: row.last_name,
    role: row.role,
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
  if (row === undefined) throw new ApiError('ENTITY_NOT_FOUND', { field: 'accountId', value: accountId })
  return row
}
