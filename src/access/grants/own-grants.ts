import { trailOf } from '../../audit/audit.ts'
import { parseId } from '../../core/id.ts'
import { afterCommit } from '../../db/database.ts'
import { notFound } from '../../db/owned-row.ts'
import { sessionOf } from '../../http/principal.ts'
import { inPage, Page, PageQuery, readPage, toPage } from '../../http/schema/list.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { endGrants } from '../accounts/end-grants.ts'
import { lockAccount } from '../accounts/lock-account.ts'
import type { AccessDeps } from '../deps.ts'
import { GrantSchema, toGrant } from './grant-wire.ts'

/** A person's own grants to applications. */
export function ownGrantRoutes(
  server: Server,
  { database, credentials }: Pick<AccessDeps, 'database' | 'credentials'>,
): void {
  server.get(
    '/v1/auth/grants',
    {
      config: { access: 'session' },
      schema: {
        tags: ['OAuth'],
        operationId: 'listOwnGrants',
        summary: 'List the grants of the account to applications',
        querystring: strict(PageQuery),
        response: { 200: Page(GrantSchema) },
      },
    },
    async (request) => {
      const page = readPage('grant', request.query)
      const rows = await database.db
        .selectFrom('oauth_grant')
        .selectAll()
        .where('account_id', '=', sessionOf(request).accountId)
        .where('expires_at', '>', request.now)
        .$call(inPage(page))
        .execute()
      return toPage(rows, page, toGrant)
    },
  )

  server.delete(
    '/v1/auth/grants/:id',
    {
      config: { access: 'session' },
      schema: {
        tags: ['OAuth'],
        operationId: 'endOwnGrant',
        summary: 'End a grant of the account to an application',
        description: 'Its access and refresh tokens end at once, also for open streams.',
        params: strict({ id: IdSchema('grant') }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { accountId } = sessionOf(request)
      const id = parseId('grant', request.params.id)
      await database.tx(async (tx) => {
        await lockAccount(tx, accountId)
        const ended = await endGrants(tx, trailOf(request), { id, accountId }, { actorId: accountId })
        if (ended === 0) throw notFound('id', id)
        afterCommit(tx, credentials.clear)
      })
      return reply.code(204).send(null)
    },
  )
}
