import { audit, trailOf } from '../../audit/audit.ts'
import { newId } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { callerOf } from '../../http/principal.ts'
import { inPage, Page, PageQuery, readPage, toPage } from '../../http/schema/list.ts'
import { findPage, searchOf } from '../../http/schema/search.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { Shared } from '../../shared/shared.ts'
import { addVersion, getAgent, refuseTooMany } from './agent-store.ts'
import {
  type Agent,
  AgentSchema,
  type Checks,
  checkDefinition,
  define,
  Fields,
  parseDefinition,
  readDefinition,
  toWire,
} from './definition.ts'

export type DefinitionDeps = Pick<Shared, 'config' | 'database' | 'once'> & Checks

/** Creating and reading agents. */
export function agentRoutes(server: Server, deps: DefinitionDeps): void {
  const { config, database, once } = deps

  server.post(
    '/v1/agents',
    {
      config: {
        access: 'agents:write',
        also: { knowledgeBaseIds: 'knowledge:read', tools: 'mcp_servers:read' },
        once: true,
      },
      schema: {
        tags: ['Agents'],
        operationId: 'createAgent',
        summary: 'Create an agent',
        description: 'Without a model it has the built-in one, which quotes from its knowledge bases.',
        body: strict({
          name: Fields.name,
          instructions: Type.Optional(Fields.instructions),
          model: Type.Optional(Fields.model),
          knowledgeBaseIds: Type.Optional(Fields.knowledgeBaseIds),
          tools: Type.Optional(Fields.tools),
          maxSteps: Type.Optional(Fields.maxSteps),
          maxOutputTokens: Type.Optional(Fields.maxOutputTokens),
          timeoutMs: Type.Optional(Fields.timeoutMs),
          onLength: Type.Optional(Fields.onLength),
          onModelFailure: Type.Optional(Fields.onModelFailure),
          fallbackModel: Type.Optional(Fields.fallbackModel),
          parameters: Type.Optional(Fields.parameters),
        }),
        response: { 201: AgentSchema },
      },
    },
    async (request, reply) => {
      const { body, now } = request
      const { organizationId, actorId } = callerOf(request)
      const definition = define(body)
      return once(request, reply, async (tx: Tx) => {
        await refuseTooMany(tx, organizationId)
        await checkDefinition(tx, deps, organizationId, definition)
        const row: Agent = {
          id: newId('agent', now),
          organization_id: organizationId,
          name: body.name,
          version: 1,
          status: 'active',
          created_by: actorId,
          created_at: now,
          updated_at: now,
        }
        await tx.insertInto('agent').values(row).execute()
        await addVersion(tx, row, definition, { actorId, now })
        await audit(tx, trailOf(request), {
          ...{ action: 'agent.created', organizationId, actorId, targetId: row.id },
          details: { name: row.name, model: definition.model },
        })
        const headers = { location: `${config.web.baseUrl}/v1/agents/${row.id}` }
        return { status: 201, body: toWire(row, definition), headers }
      })
    },
  )

  server.get(
    '/v1/agents',
    {
      config: { access: 'agents:read' },
      schema: {
        tags: ['Agents'],
        operationId: 'listAgents',
        summary: 'List agents',
        querystring: strict({ ...PageQuery, search: searchOf('their name') }),
        response: { 200: Page(AgentSchema) },
      },
    },
    async (request) => {
      const page = readPage('agent', request.query)
      const own = database.db
        .selectFrom('agent')
        .where('agent.organization_id', '=', callerOf(request).organizationId)
        .where('agent.status', '=', 'active')
      const rows = await findPage(
        page,
        request.query.search,
        (part) => own.select(['id', 'name']).$call(inPage(part)).execute(),
        (ofPage) =>
          own
            .innerJoin('agent_version', (join) =>
              join
                .onRef('agent_version.agent_id', '=', 'agent.id')
                .onRef('agent_version.version', '=', 'agent.version'),
            )
            .selectAll('agent')
            .select('agent_version.definition')
            .$call(ofPage)
            .execute(),
        'agent.id',
      )
      return toPage(rows, page, (row) => toWire(row, parseDefinition(row.definition)))
    },
  )

  server.get(
    '/v1/agents/:id',
    {
      config: { access: 'agents:read' },
      schema: {
        tags: ['Agents'],
        operationId: 'readAgent',
        summary: 'Read an agent',
        params: strict({ id: IdSchema('agent') }),
        response: { 200: AgentSchema },
      },
    },
    async (request) => {
      const row = await getAgent(database.db, callerOf(request).organizationId, request.params.id)
      return toWire(row, await readDefinition(database.db, row.id, row.version))
    },
  )
}
