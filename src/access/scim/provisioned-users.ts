import { toIso } from '../../core/clock.ts'
import { normalizeEmail } from '../../core/text/email.ts'
import { callerOf } from '../../http/principal.ts'
import { inPage, Page, PageQuery, readPage, toPage } from '../../http/schema/list.ts'
import { Type } from '../../http/schema/type.ts'
import { EmailSchema, Moment, Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { ScimDeps } from './deps.ts'
import { findMembershipStates } from './user-store.ts'

const MEMBERSHIPS = ['member', 'invited', 'none'] as const

const UserSchema = Type.Object(
  {
    id: Type.String(),
    userName: Type.String(),
    email: Type.String(),
    externalId: Nullable(Type.String()),
    active: Type.Boolean(),
    accountId: Nullable(Type.String()),
    membership: Type.String({ enum: [...MEMBERSHIPS] }),
    role: Nullable(Type.String()),
    createdAt: Moment,
    updatedAt: Moment,
  },
  { title: 'ProvisionedUser' },
)

/** `GET /v1/scim/users`: whether each user of the directory is a member or invited, which SCIM cannot express. */
export function provisionedUserRoutes(server: Server, { database }: ScimDeps): void {
  server.get(
    '/v1/scim/users',
    {
      config: { access: 'sign_in:read' },
      schema: {
        tags: ['Provisioning'],
        operationId: 'listProvisionedUsers',
        summary: 'List the users of the directory',
        description:
          'The users that the directory provisions by SCIM, each with its membership or invitation, and the role.',
        querystring: strict({ ...PageQuery, email: Type.Optional(EmailSchema) }),
        response: { 200: Page(UserSchema) },
      },
    },
    async (request) => {
      const { organizationId } = callerOf(request)
      const { email } = request.query
      const page = readPage('scimUser', request.query)
      const rows = await database.db
        .selectFrom('scim_user')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .$if(email !== undefined, (query) => query.where('email', '=', normalizeEmail(email ?? '') ?? ''))
        .$call(inPage(page))
        .execute()
      const standings = await findMembershipStates(database.db, organizationId, rows, request.now)
      return toPage(rows, page, (row) => {
        const { membership, role } = standings.get(row.id) ?? { membership: 'none', role: null }
        return {
          id: row.id,
          userName: row.user_name,
          email: row.email,
          externalId: row.external_id,
          active: row.active === 1,
          accountId: row.account_id,
          membership,
          role,
          createdAt: toIso(row.created_at),
          updatedAt: toIso(row.updated_at),
        }
      })
    },
  )
}
