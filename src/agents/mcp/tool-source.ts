import { type Millis, SECOND } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'
import { notFound } from '../../db/owned-row.ts'
import type { Tool, ToolChoice, ToolRun, ToolSource } from '../tools/tool.ts'
import { prepareCall, refuse } from './call-tool.ts'
import { ServerFailure, unavailable } from './client/failures.ts'
import { pendingOf, type ToolDefinition } from './client/tool-definitions.ts'
import type { ServerDeps } from './deps.ts'
import { keepListing, listToolsIn } from './listing.ts'
import { createRunServer, type RunServer } from './run-server.ts'
import { type ServerRow, toolsOf } from './server-wire.ts'
import { toolName } from './tool-names.ts'

/** Most tools of an agent. */
const MOST_TOOLS = 64
/** A server that has not listed its tools after this time is unavailable to the run. */
const OPENING_DEADLINE: Millis = 10 * SECOND

/** The result of listing a server's tools at the start of a run. */
interface Opened {
  row: ServerRow
  server: RunServer
  /** The callable tools: accepted, and unchanged in the listing. */
  tools: ToolDefinition[]
  /** Why the server could not be listed. */
  failure: string | undefined
}

/** The tools of an organization's MCP servers. */
export function createToolSource(deps: ServerDeps): ToolSource {
  const { clock, database } = deps

  /** Lists a server's tools. Tools whose descriptions differ from the accepted ones are off from then on. */
  async function openServer(row: ServerRow): Promise<Opened> {
    const { accepted, listed: before } = toolsOf(row)
    const server = createRunServer(deps, row)
    try {
      const listed = await listToolsIn(server.session, deps, row, { deadline: OPENING_DEADLINE })
      const isKnown = row.accepted !== null && sameDigests(listed, before)
      const kept = isKnown ? row : await database.tx((tx) => keepListing(deps, tx, row, listed, clock.now()))
      const known = toolsOf(kept).accepted
      const pending = new Set(pendingOf(listed, known).map(({ name }) => name))
      const tools = listed.filter(({ name }) => !pending.has(name))
      return { row, server, tools, failure: undefined }
    } catch (error) {
      await server.close()
      // The server was deleted during the request.
      if (error instanceof ApiError && error.code === 'ENTITY_NOT_FOUND')
        return { row, server, tools: [], failure: 'deleted' }
      if (!(error instanceof ServerFailure)) throw error
      return { row, server, tools: accepted, failure: error.reason }
    }
  }

  function toTool({ row, server, tools, failure }: Opened, choice: ToolChoice): Tool[] {
    const definition = tools.find(({ name }) => name === choice.name)
    if (definition === undefined) return []
    const { isReadOnly, isIdempotent, description, inputSchema, digest } = definition
    return [
      {
        name: toolName(row.name, definition.name),
        serverId: row.id,
        ...{ description, inputSchema, isReadOnly, definitionDigest: digest },
        needsApproval: choice.approval === 'always',
        approvers: choice.approvers,
        isRepeatable: choice.repeatable && (isReadOnly || isIdempotent),
        isParallel: choice.parallel,
        prepare: async () =>
          failure === undefined ? prepareCall(deps, server, definition) : refuse(failure),
      },
    ]
  }

  return {
    async check(db, organizationId, choices) {
      if (choices.length > MOST_TOOLS)
        throw new ApiError('VALIDATION_FAILED', { field: 'tools', reason: 'too_many' })
      const rows = await serversOf(db, organizationId, choices)
      const seen = new Set<string>()
      for (const [index, { serverId, name }] of choices.entries()) {
        const row = rows.get(serverId)
        if (row === undefined) throw notFound(`tools.${index}.serverId`, serverId)
        const problem = seen.has(`${serverId} ${name}`)
          ? 'twice'
          : toolsOf(row).accepted.some((tool) => tool.name === name)
            ? undefined
            : 'not_accepted'
        if (problem !== undefined)
          throw new ApiError('VALIDATION_FAILED', {
            field: `tools.${index}.name`,
            value: name,
            reason: problem,
          })
        seen.add(`${serverId} ${name}`)
      }
    },

    async open({ organizationId, tools: choices }: ToolRun) {
      const rows = await serversOf(database.db, organizationId, choices)
      // All servers are called at once, so that a silent one does not delay the others.
      const opened = await Promise.all([...rows.values()].map(openServer))
      const byId = new Map(opened.map((one) => [one.row.id, one]))
      for (const { serverId, required } of choices) {
        const one = byId.get(serverId)
        const failure = one === undefined ? 'deleted' : one.failure
        if (failure === undefined || (!required && one?.row.required !== 1)) continue
        await closeAll(opened)
        throw unavailable(serverId, failure)
      }
      const tools = choices.flatMap((choice) => {
        const one = byId.get(choice.serverId)
        return one === undefined ? [] : toTool(one, choice)
      })
      const unique = new Map(tools.map((tool) => [tool.name, tool]))
      return { tools: [...unique.values()].slice(0, MOST_TOOLS), close: () => closeAll(opened) }
    },
  }
}

/** The chosen servers that the organization still has. */
async function serversOf(
  db: Db | Tx,
  organizationId: Id<'organization'>,
  choices: ToolChoice[],
): Promise<Map<Id<'mcpServer'>, ServerRow>> {
  const ids = [...new Set(choices.map(({ serverId }) => serverId))]
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('mcp_server')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

async function closeAll(opened: Opened[]): Promise<void> {
  await Promise.all(opened.map(({ server }) => server.close()))
}

function sameDigests(some: ToolDefinition[], others: ToolDefinition[]): boolean {
  return some.length === others.length && some.every(({ digest }, index) => digest === others[index]?.digest)
}
