import { trailOf } from '../../audit/audit.ts'
import { type Id, parseId } from '../../core/id.ts'
import { afterCommit } from '../../db/database.ts'
import { notFound } from '../../db/owned-row.ts'
import { callerOf } from '../../http/principal.ts'
import { mustStillHave } from '../../http/recheck-right.ts'
import { inPage, Page, PageQuery, readPage, toPage } from '../../http/schema/list.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { endGrants } from '../accounts/end-grants.ts'
import type { AccessDeps } from '../deps.ts'
import { GrantSchema, toGrant } from './grant-wire.ts'

/** Grants of members to applications, for administrators of the organization. */
export function grantRoutes(
  server: Server,
  { database, credentials }: Pick<AccessDeps, 'database' | 'credentials'>,
): void {
  server.get(
    '/v1/grants',
    {
      config: { access: 'keys:read' },
      schema: {
        tags: ['OAuth'],
        operationId: 'listGrants',
        summary: 'List the grants of members to applications',
        querystring: strict({ ...PageQuery, accountId: Type.Optional(IdSchema('account')) }),
        response: { 200: Page(GrantSchema) },
      },
    },
    async (request) => {
      const { accountId } = request.query
      const member = accountId === undefined ? undefined : parseId('account', accountId, 'accountId')
      const page = readPage('grant', request.query)
      const rows = await database.db
        .selectFrom('oauth_grant')
        .selectAll()
        .where('organization_id', '=', callerOf(request).organizationId)
        .where('expires_at', '>', request.now)
        .$if(member !== undefined, (query) => query.where('account_id', '=', member as Id<'account'>))
        .$call(inPage(page))
        .execute()
      return toPage(rows, page, toGrant)
    },
  )

  server.delete(
    '/v1/grants/:id',
    {
      config: { access: 'keys:write' },
      schema: {
        tags: ['OAuth'],
        operationId: 'endGrant',
        summary: 'End the grant of a member to an application',
        description: 'Its access and refresh tokens end at once, also for open streams.',
        params: strict({ id: IdSchema('grant') }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const { organizationId, actorId } = caller
      const id = parseId('grant', request.params.id)
      await database.tx(async (tx) => {
        await mustStillHave(tx, caller, 'keys:write', request.now)
        const ended = await endGrants(tx, trailOf(request), { id, organizationId }, { actorId })
        if (ended === 0) throw notFound('id', id)
        afterCommit(tx, credentials.clear)
      })
      return reply.code(204).send(null)
    },
  )
}
