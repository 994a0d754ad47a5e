import { trailOf } from '../audit/audit.ts'
import { getOwned, notFound } from '../db/owned-row.ts'
import { callerOf } from '../http/principal.ts'
import { listOwned, Page, PageQuery } from '../http/schema/list.ts'
import { Type } from '../http/schema/type.ts'
import { IdSchema, strict } from '../http/schema/validation.ts'
import type { Server } from '../http/server.ts'
import { ConnectionSchema, toWire } from './connection-wire.ts'
import type { ConnectionDeps } from './deps.ts'
import { endConnection } from './end-connections.ts'

/** Reading an organization's connections, and deleting one. */
export function connectionRoutes(
  server: Server,
  { database, addRevocation }: Pick<ConnectionDeps, 'database' | 'addRevocation'>,
): void {
  server.get(
    '/v1/connections',
    {
      config: { access: 'connections:read' },
      schema: {
        tags: ['Connections'],
        operationId: 'listConnections',
        summary: 'List connections',
        querystring: strict(PageQuery),
        response: { 200: Page(ConnectionSchema) },
      },
    },
    async (request) =>
      listOwned(database.db, 'connection', callerOf(request).organizationId, request.query, (row) =>
        toWire(row, request.now),
      ),
  )

  server.get(
    '/v1/connections/:id',
    {
      config: { access: 'connections:read' },
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
      config: { access: 'connections:write' },
      schema: {
        tags: ['Connections'],
        operationId: 'deleteConnection',
        summary: 'End a connection',
        description:
          'Nothing can use its tokens from here on. They are revoked at the provider, where it has a revocation endpoint, right after the answer; a provider that does not answer is asked again for 24 hours.',
        params: strict({ id: IdSchema('connection') }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { organizationId, actorId } = callerOf(request)
      await database.tx(async (tx) => {
        const { id } = await getOwned(tx, 'connection', request.params.id, organizationId)
        const isEnded = await endConnection(tx, addRevocation, trailOf(request), {
          organizationId,
          id,
          actorId,
        })
        if (!isEnded) throw notFound('id', id)
      })
      return reply.code(204).send(null)
    },
  )
}
