import { audit, trailOf } from '../../audit/audit.ts'
import { lock } from '../../db/locking.ts'
import { callerOf } from '../../http/principal.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { addVersion, getAgent } from './agent-store.ts'
import type { DefinitionDeps } from './agents.ts'
import { AgentSchema, checkDefinition, define, Fields, readDefinition, toWire } from './definition.ts'

const ById = strict({ id: IdSchema('agent') })

/** Changing an agent, each time into a new version, and deleting it. Runs keep the version with which they began. */
export function agentChangeRoutes(server: Server, deps: DefinitionDeps): void {
  const { database } = deps

  server.patch(
    '/v1/agents/:id',
    {
      config: {
        access: 'agents:write',
        also: { knowledgeBaseIds: 'knowledge:read', tools: 'mcp_servers:read' },
      },
      schema: {
        tags: ['Agents'],
        operationId: 'updateAgent',
        summary: 'Change an agent',
        description:
          'Makes a new version for the runs that are accepted from then on; runs that were accepted before keep theirs.',
        params: ById,
        body: strict(
          {
            name: Type.Optional(Fields.name),
            instructions: Type.Optional(Fields.instructions),
            model: Type.Optional(Fields.model),
            knowledgeBaseIds: Type.Optional(Fields.knowledgeBaseIds),
            tools: Type.Optional(Fields.tools),
            // No defaults: omitted members keep their values.
            maxSteps: Type.Optional(Type.Integer({ minimum: 1, maximum: 50 })),
            maxOutputTokens: Type.Optional(Type.Integer({ minimum: 1, maximum: 128_000 })),
            timeoutMs: Type.Optional(Type.Integer({ minimum: 1_000, maximum: 3_600_000 })),
            onLength: Type.Optional(Fields.onLength),
            onModelFailure: Type.Optional(Fields.onModelFailure),
            fallbackModel: Type.Optional(Fields.fallbackModel),
            parameters: Type.Optional(Fields.parameters),
          },
          { minProperties: 1 },
        ),
        response: { 200: AgentSchema },
      },
    },
    async (request) => {
      const { body, now } = request
      const { organizationId, actorId } = callerOf(request)
      return database.tx(async (tx) => {
        const before = await getAgent(tx, organizationId, request.params.id, lock)
        const definition = define(body, await readDefinition(tx, before.id, before.version))
        await checkDefinition(tx, deps, organizationId, definition)
        const change = { name: body.name ?? before.name, version: before.version + 1, updated_at: now }
        await tx.updateTable('agent').set(change).where('id', '=', before.id).execute()
        const after = { ...before, ...change }
        await addVersion(tx, after, definition, { actorId, now })
        await audit(tx, trailOf(request), {
          ...{ action: 'agent.updated', organizationId, actorId, targetId: after.id },
          details: { changed: Object.keys(body).join(' '), version: after.version },
        })
        return toWire(after, definition)
      })
    },
  )

  server.delete(
    '/v1/agents/:id',
    {
      config: { access: 'agents:write' },
      schema: {
        tags: ['Agents'],
        operationId: 'deleteAgent',
        summary: 'Delete an agent',
        description:
          'Runs that were accepted before, queued ones included, are still made, and all of them can be read. None can be started or resumed.',
        params: ById,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { organizationId, actorId } = callerOf(request)
      await database.tx(async (tx) => {
        const { id, name } = await getAgent(tx, organizationId, request.params.id, lock)
        await tx
          .updateTable('agent')
          .set({ status: 'deleted', updated_at: request.now })
          .where('id', '=', id)
          .execute()
        await audit(tx, trailOf(request), {
          ...{ action: 'agent.deleted', organizationId, actorId, targetId: id },
          details: { name },
        })
      })
      return reply.code(204).send(null)
    },
  )
}
