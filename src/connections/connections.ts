import { audit, trailOf } from '../audit/audit.ts'
import { getOwned, notFound } from '../db/owned-row.ts'
import { callerOf } from '../http/principal.ts'
import { inPage, Page, PageQuery, readPage, toPage } from '../http/schema/list.ts'
import { Type } from '../http/schema/type.ts'
import { IdSchema, strict } from '../http/schema/validation.ts'
import type { Server } from '../http/server.ts'
import { openTokens } from './connection-store.ts'
import { ConnectionSchema, toWire } from './connection-wire.ts'
import type { ConnectionDeps } from './deps.ts'
import { giveBack } from './failures.ts'

/** Reading an organization's connections, and ending one. */
export function connectionRoutes(
  server: Server,
  deps: Pick<ConnectionDeps, 'clock' | 'database' | 'vault' | 'log' | 'providers'>,
): void {
  const { database, vault, providers } = deps

  server.get(
    '/v1/connections',
    {
      config: { access: 'member', module: 'connections' },
      schema: {
        tags: ['Connections'],
        operationId: 'listConnections',
        summary: 'List connections',
        querystring: strict(PageQuery),
        response: { 200: Page(ConnectionSchema) },
      },
    },
    async (request) => {
      const page = readPage('connection', request.query)
      const rows = await database.db
        .selectFrom('connection')
        .selectAll()
        .where('organization_id', '=', callerOf(request).organizationId)
        .$call(inPage(page))
        .execute()
      return toPage(rows, page, (row) => toWire(row, request.now))
    },
  )

  server.get(
    '/v1/connections/:id',
    {
      config: { access: 'member', module: 'connections' },
      schema: {
        tags: ['Connections'],
        operationId: 'readConnection',
        summary: 'Read a connection',
        params: strict({ id: IdSchema('connection') }),
        response: { 200: ConnectionSchema },
      },
    },
    async (request) =>
      toWire(
        await getOwned(database.db, 'connection', request.params.id, callerOf(request).organizationId),
        request.now,
      ),
  )

  server.delete(
    '/v1/connections/:id',
    {
      config: { access: 'administrator', module: 'connections' },
      schema: {
        tags: ['Connections'],
        operationId: 'deleteConnection',
        summary: 'End a connection',
        description: 'Its tokens are gone at once, and given back to the provider where it takes them.',
        params: strict({ id: IdSchema('connection') }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { organizationId, actorId } = callerOf(request)
      const ended = await database.tx(async (tx) => {
        const { id } = await getOwned(tx, 'connection', request.params.id, organizationId)
        const row = await tx
          .deleteFrom('connection')
          .where('id', '=', id)
          .returning(['id', 'provider', 'tokens'])
          .executeTakeFirst()
        if (row === undefined) throw notFound('id', id)
        await audit(tx, trailOf(request), {
          action: 'connection.deleted',
          organizationId,
          actorId,
          targetId: id,
          details: { provider: row.provider },
        })
        return row
      })
      const tokens = openTokens(vault, ended)
      const facts = {
        organizationId,
        connectionId: ended.id,
        provider: ended.provider,
        requestId: request.id,
      }
      if (tokens !== undefined) await giveBack(deps, providers.get(ended.provider), tokens, facts)
      return reply.code(204).send(null)
    },
  )
}
