import { audit, trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { atMost, createFairLimiter } from '../../core/fair-limiter.ts'
import type { Id } from '../../core/id.ts'
import { lock } from '../../db/locking.ts'
import { getOwned } from '../../db/owned-row.ts'
import { callerOf } from '../../http/principal.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { ServerFailure, unavailable } from './client/failures.ts'
import { digestOfAll } from './client/tool-definitions.ts'
import type { ServerDeps } from './deps.ts'
import { keepListing, listTools } from './listing.ts'
import { ServerWithTools, toolsOf, toWireWithTools } from './server-wire.ts'

const ById = strict({ id: IdSchema('mcpServer') })
/** Servers of one organization that are listed at the same time. */
const MOST_AT_ONCE = 8

/** Listing the tools of a server, and accepting them. */
export function refreshRoutes(server: Server, deps: ServerDeps): void {
  const { database, clock } = deps
  const asking = createFairLimiter<Id<'organization'>>(Number.MAX_SAFE_INTEGER, atMost(MOST_AT_ONCE))

  server.post(
    '/v1/mcp-servers/:id/refresh',
    {
      config: { access: 'mcp_servers:write' },
      schema: {
        tags: ['MCP servers'],
        operationId: 'refreshMcpServer',
        summary: 'List the tools of an MCP server',
        description:
          'The first time all tools are accepted. Later, a new or changed tool is off until it is accepted. A server that cannot be reached is `MCP_CLIENT_UNAVAILABLE` with `details.reason`.',
        params: ById,
        response: { 200: ServerWithTools },
      },
    },
    async (request) => {
      const { organizationId } = callerOf(request)
      const row = await getOwned(database.db, 'mcp_server', request.params.id, organizationId)
      const leave = asking.tryEnter(organizationId)
      if (leave === undefined) throw new ApiError('RATE_LIMITED', { retryAfterSeconds: 1 })
      try {
        const listed = await listTools(deps, row)
        return toWireWithTools(await database.tx((tx) => keepListing(deps, tx, row, listed, clock.now())))
      } catch (error) {
        if (!(error instanceof ServerFailure)) throw error
        const { reason } = error
        await database.tx((tx) =>
          tx
            .updateTable('mcp_server')
            .set({ failure: reason, checked_at: clock.now() })
            .where('id', '=', row.id)
            .where('version', '=', row.version)
            .execute(),
        )
        throw unavailable(row.id, reason)
      } finally {
        leave()
      }
    },
  )

  server.post(
    '/v1/mcp-servers/:id/accept',
    {
      config: { access: 'mcp_servers:write' },
      schema: {
        tags: ['MCP servers'],
        operationId: 'acceptMcpServer',
        summary: 'Accept the currently listed tools of an MCP server',
        params: ById,
        body: strict({
          toolsDigest: Type.String({
            pattern: '^[0-9a-f]{64}$',
            maxLength: 64,
            description:
              'The value that was read with the tools, so that later changes are not accepted unseen.',
            examples: ['0'.repeat(64)],
          }),
        }),
        response: { 200: ServerWithTools },
      },
    },
    async (request) => {
      const { organizationId, actorId } = callerOf(request)
      const { toolsDigest } = request.body
      return database.tx(async (tx) => {
        const row = await getOwned(tx, 'mcp_server', request.params.id, organizationId, lock)
        if (row.listed === null || digestOfAll(toolsOf(row).listed) !== toolsDigest)
          throw new ApiError('VALIDATION_FAILED', {
            ...{ field: 'toolsDigest', value: toolsDigest, reason: 'not_the_listed_tools' },
          })
        const after = await tx
          .updateTable('mcp_server')
          .set({ accepted: row.listed, version: row.version + 1, updated_at: request.now })
          .where('id', '=', row.id)
          .returningAll()
          .executeTakeFirstOrThrow()
        await audit(tx, trailOf(request), {
          ...{
            action: 'mcp_server.accepted',
            organizationId,
            actorId,
            targetId: row.id,
            details: { toolsDigest },
          },
        })
        return toWireWithTools(after)
      })
    },
  )
}
