import { Type } from 'typebox'
import { toIso } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Db } from '../../db/database.ts'
import { type Parameter, prepared } from '../../db/engine/prepared.ts'
import { callerOf } from '../../http/principal.ts'
import { Page, PageQuery, readPage, toPage } from '../../http/schema/list.ts'
import { Moment, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { AccessDeps } from '../deps.ts'

const OrganizationSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  plan: Type.String(),
  role: Type.String({ description: 'The role of the caller.' }),
  createdAt: Moment,
})

interface ListValues {
  accountId: Id<'account'>
  before: Id<'organization'>
  take: number
}

const NOBODY = '' as Id<'account'>

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

/** Organizations of the caller. */
export function organizationRoutes(server: Server, { database }: Pick<AccessDeps, 'database'>): void {
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
      const page = readPage('organization', request.query)
      const accountId = caller.kind === 'account' ? caller.accountId : NOBODY
      const values = { accountId, before: page.before, take: page.take }
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
}
