import { audit, trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { lock } from '../../db/locking.ts'
import { getOwned, notFound } from '../../db/owned-row.ts'
import { callerOf, mustHave } from '../../http/principal.ts'
import { readSecretHeaders } from '../../http/schema/secret-headers.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { checkDestination } from '../../net/check-destination.ts'
import type { ServerDeps } from './deps.ts'
import { Fields, OWN_HEADERS } from './server-fields.ts'
import { type ServerRow, ServerSchema, toWire } from './server-wire.ts'
import { checkTogether, ownConnection } from './servers.ts'
import { sealHeaders } from './target.ts'

const ById = strict({ id: IdSchema('mcpServer') })

/** Changing and deleting an MCP server. A new URL makes it another server: the accepted tools are deleted. */
export function serverChangeRoutes(server: Server, deps: ServerDeps): void {
  const { database, vault } = deps
  server.patch(
    '/v1/mcp-servers/:id',
    {
      config: { access: 'mcp_servers:write', also: { connectionId: 'connections:use' } },
      schema: {
        tags: ['MCP servers'],
        operationId: 'updateMcpServer',
        summary: 'Change an MCP server',
        description: '`headers` replaces all headers. After a change of `url` no tool is accepted.',
        params: ById,
        body: strict(
          {
            name: Type.Optional(Fields.name),
            url: Type.Optional(Fields.url),
            headers: Type.Optional(Nullable(Fields.headers)),
            connectionId: Type.Optional(Nullable(Fields.connectionId)),
            required: Type.Optional(Fields.required),
          },
          { minProperties: 1 },
        ),
        response: { 200: ServerSchema },
      },
    },
    async (request) => {
      const { body, now } = request
      const caller = callerOf(request)
      const { organizationId, actorId } = caller
      const headers =
        body.headers === undefined ? undefined : readSecretHeaders(body.headers ?? {}, OWN_HEADERS)
      if (body.url !== undefined) await checkDestination(body.url, organizationId, deps)
      const work = database.tx(async (tx) => {
        const before = await getOwned(tx, 'mcp_server', request.params.id, organizationId, lock)
        const connectionId =
          body.connectionId === undefined
            ? before.connection_id
            : await ownConnection(tx, organizationId, body.connectionId)
        const names = (
          headers === undefined ? JSON.parse(before.header_names) : Object.keys(headers)
        ) as string[]
        const url = body.url ?? before.url
        // The connection's tokens will go to the new address.
        if (connectionId !== null && url !== before.url) mustHave(caller, 'connections:use')
        checkTogether(url, Object.fromEntries(names.map((name) => [name, true])), connectionId)
        const change: Partial<ServerRow> = {
          ...(body.name === undefined ? {} : { name: body.name }),
          ...(headers === undefined ? {} : sealHeaders(vault, before.id, headers)),
          ...(body.required === undefined ? {} : { required: body.required ? 1 : 0 }),
          ...(url === before.url
            ? {}
            : { url, listed: null, accepted: null, failure: null, checked_at: null }),
          connection_id: connectionId,
        }
        const after = await tx
          .updateTable('mcp_server')
          .set({ ...change, version: before.version + 1, updated_at: now })
          .where('id', '=', before.id)
          .returningAll()
          .executeTakeFirst()
        if (after === undefined) throw notFound('id', before.id)
        const details = { changed: Object.keys(body).join(' '), host: new URL(url).host }
        await audit(tx, trailOf(request), {
          ...{ action: 'mcp_server.updated', organizationId, actorId, targetId: after.id, details },
        })
        return toWire(after)
      })
      return work.catch((error: unknown) => {
        // The name is the only unique value.
        if (!database.isUniqueViolation(error)) throw error
        throw new ApiError('DUPLICATE', { field: 'name', value: body.name })
      })
    },
  )

  server.delete(
    '/v1/mcp-servers/:id',
    {
      config: { access: 'mcp_servers:write' },
      schema: {
        tags: ['MCP servers'],
        operationId: 'deleteMcpServer',
        summary: 'Forget an MCP server',
        description:
          'Agents that use its tools continue without them; a run for which a tool is `required` fails.',
        params: ById,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { organizationId, actorId } = callerOf(request)
      await database.tx(async (tx) => {
        const { id, name } = await getOwned(tx, 'mcp_server', request.params.id, organizationId, lock)
        await tx.deleteFrom('mcp_server').where('id', '=', id).execute()
        await audit(tx, trailOf(request), {
          ...{ action: 'mcp_server.deleted', organizationId, actorId, targetId: id, details: { name } },
        })
      })
      return reply.code(204).send(null)
    },
  )
}
