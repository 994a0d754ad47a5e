import { toIso } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Db } from '../../db/database.ts'
import { notFound } from '../../db/owned-row.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { callerOf } from '../../http/principal.ts'
import { Page, PageQuery } from '../../http/schema/list.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { IdSchema, Moment, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { getAgent } from './agent-store.ts'
import type { DefinitionDeps } from './agents.ts'
import { DefinitionMembers, parseDefinition } from './definition.ts'

const VersionSchema = Type.Object({
  agentId: Type.String(),
  version: Type.Integer(),
  ...DefinitionMembers,
  createdBy: Type.String({ description: 'The account or service account that changed it to this.' }),
  createdAt: Moment,
})

const ById = { id: IdSchema('agent') }
const Version = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })

/** `GET /v1/agents/{id}/versions`: a run names the number of its version. */
export function agentVersionRoutes(server: Server, { database }: Pick<DefinitionDeps, 'database'>): void {
  const { db } = database

  server.get(
    '/v1/agents/:id/versions',
    {
      config: { access: 'agents:read' },
      schema: {
        tags: ['Agents'],
        operationId: 'listAgentVersions',
        summary: 'List the versions of an agent',
        description: 'Newest first; new runs use the newest.',
        params: strict(ById),
        querystring: strict(PageQuery),
        response: { 200: Page(VersionSchema) },
      },
    },
    async (request) => {
      const { params, query } = request
      const agent = await getAgent(db, callerOf(request).organizationId, params.id)
      const take = query.limit ?? 20
      const rows = await selectVersions(db, agent.id)
        .$if(query.cursor !== undefined, (select) =>
          select.where('version', '<', versionOf(query.cursor ?? '')),
        )
        .orderBy('version', 'desc')
        .limit(take + 1)
        .execute()
      const page = rows.slice(0, take)
      const last = page.at(-1)
      return {
        data: page.map(toWire),
        nextCursor: rows.length > take && last !== undefined ? cursorOf(last.version) : null,
      }
    },
  )

  server.get(
    '/v1/agents/:id/versions/:version',
    {
      config: { access: 'agents:read' },
      schema: {
        tags: ['Agents'],
        operationId: 'readAgentVersion',
        summary: 'Read a version of an agent',
        params: strict({ ...ById, version: Version }),
        response: { 200: VersionSchema },
      },
    },
    async (request) => {
      const { params } = request
      const agent = await getAgent(db, callerOf(request).organizationId, params.id)
      const row = await selectVersions(db, agent.id).where('version', '=', params.version).executeTakeFirst()
      if (row === undefined) throw notFound('version', String(params.version))
      return toWire(row)
    },
  )
}

const selectVersions = (db: Db, id: Id<'agent'>) =>
  db.selectFrom('agent_version').selectAll().where('agent_id', '=', id)

/** Versions have no ids: their cursor is the last version number in the form of all cursors. */
function cursorOf(version: number): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUInt32BE(version, 12)
  return `agv${bytes.toString('base64url')}`
}

function versionOf(cursor: string): number {
  return Buffer.from(cursor.slice(3), 'base64url').readUInt32BE(12)
}

function toWire(row: Tables['agent_version']): Static<typeof VersionSchema> {
  return {
    agentId: row.agent_id,
    version: row.version,
    ...parseDefinition(row.definition),
    createdBy: row.created_by,
    createdAt: toIso(row.created_at),
  }
}
