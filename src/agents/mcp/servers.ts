import { audit, trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { type Id, newId } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'
import { getOwned } from '../../db/owned-row.ts'
import { callerOf } from '../../http/principal.ts'
import { listOwned, Page, PageQuery } from '../../http/schema/list.ts'
import { readSecretHeaders } from '../../http/schema/secret-headers.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { checkDestination } from '../../net/check-destination.ts'
import { refuseBeyond } from '../../organizations/count-limit.ts'
import type { ServerDeps } from './deps.ts'
import { checkServerUrl, Fields, OWN_HEADERS } from './server-fields.ts'
import { type ServerRow, ServerSchema, ServerWithTools, toWire, toWireWithTools } from './server-wire.ts'
import { sealHeaders } from './target.ts'

/** Most MCP servers of an organization. */
const MOST_SERVERS = 16

/** Registering and reading MCP servers; this file calls no server. */
export function serverRoutes(server: Server, deps: ServerDeps): void {
  const { database, vault, once, baseUrl } = deps
  server.post(
    '/v1/mcp-servers',
    {
      config: { access: 'mcp_servers:write', also: { connectionId: 'connections:use' }, once: true },
      schema: {
        tags: ['MCP servers'],
        operationId: 'createMcpServer',
        summary: 'Register an MCP server',
        description:
          'It is not called yet: `POST /v1/mcp-servers/{id}/refresh` lists its tools. An address that would never be called is refused (`address_not_allowed`).',
        body: strict({
          name: Fields.name,
          url: Fields.url,
          headers: Type.Optional(Fields.headers),
          connectionId: Type.Optional(Fields.connectionId),
          required: Type.Optional(Fields.required),
        }),
        response: { 201: ServerSchema },
      },
    },
    async (request, reply) => {
      const { body, now } = request
      const { organizationId, actorId } = callerOf(request)
      await checkDestination(body.url, organizationId, deps)
      return once(request, reply, async (tx) => {
        const headers = readSecretHeaders(body.headers ?? {}, OWN_HEADERS)
        const connectionId = await ownConnection(tx, organizationId, body.connectionId)
        checkTogether(body.url, headers, connectionId)
        const rows = tx.selectFrom('mcp_server').where('organization_id', '=', organizationId)
        const limit = { rows, most: MOST_SERVERS, reason: 'too_many_mcp_servers' } as const
        await refuseBeyond(tx, organizationId, limit)
        const id = newId('mcpServer', now)
        const row: ServerRow = {
          ...{ id, organization_id: organizationId, name: body.name, url: body.url },
          ...sealHeaders(vault, id, headers),
          connection_id: connectionId,
          required: body.required === true ? 1 : 0,
          ...{ listed: null, accepted: null, version: 1, failure: null, checked_at: null },
          ...{ created_by: actorId, created_at: now, updated_at: now },
        }
        const inserted = await tx
          .insertInto('mcp_server')
          .values(row)
          .onConflict((conflict) => conflict.columns(['organization_id', 'name']).doNothing())
          .returning('id')
          .executeTakeFirst()
        if (inserted === undefined) throw new ApiError('DUPLICATE', { field: 'name', value: body.name })
        const details = { name: row.name, host: new URL(row.url).host }
        await audit(tx, trailOf(request), {
          ...{ action: 'mcp_server.created', organizationId, actorId, targetId: id, details },
        })
        return { status: 201, body: toWire(row), headers: { location: `${baseUrl}/v1/mcp-servers/${id}` } }
      })
    },
  )

  server.get(
    '/v1/mcp-servers',
    {
      config: { access: 'mcp_servers:read' },
      schema: {
        tags: ['MCP servers'],
        operationId: 'listMcpServers',
        summary: 'List MCP servers',
        querystring: strict(PageQuery),
        response: { 200: Page(ServerSchema) },
      },
    },
    async (request) =>
      listOwned(database.db, 'mcp_server', callerOf(request).organizationId, request.query, toWire),
  )

  server.get(
    '/v1/mcp-servers/:id',
    {
      config: { access: 'mcp_servers:read' },
      schema: {
        tags: ['MCP servers'],
        operationId: 'readMcpServer',
        summary: 'Read an MCP server with its tools',
        params: strict({ id: IdSchema('mcpServer') }),
        response: { 200: ServerWithTools },
      },
    },
    async (request) =>
      toWireWithTools(
        await getOwned(database.db, 'mcp_server', request.params.id, callerOf(request).organizationId),
      ),
  )
}

/**
 * Checks that a connection belongs to the organization; its token and hosts are checked with each use.
 * @throws ApiError INVALID_UUID, ENTITY_NOT_FOUND
 */
export async function ownConnection(
  db: Db | Tx,
  organizationId: Id<'organization'>,
  id: string | null | undefined,
): Promise<Id<'connection'> | null> {
  if (id === undefined || id === null) return null
  return (await getOwned(db, 'connection', id, organizationId, undefined, 'connectionId')).id
}

/** @throws ApiError VALIDATION_FAILED for members that exclude each other */
export function checkTogether(
  url: string,
  headers: Record<string, unknown>,
  connectionId: string | null,
): void {
  checkServerUrl(url, connectionId !== null || Object.keys(headers).length > 0)
  if (connectionId !== null && Object.hasOwn(headers, 'authorization'))
    throw new ApiError('VALIDATION_FAILED', { field: 'connectionId', reason: 'two_authorizations' })
}
