import { audit, trailOf } from '../audit/audit.ts'
import { ApiError } from '../core/errors.ts'
import { newId } from '../core/id.ts'
import { callerOf } from '../http/principal.ts'
import { inPage, Page, PageQuery, readPage, toPage } from '../http/schema/list.ts'
import { findPage, searchOf } from '../http/schema/search.ts'
import { Type } from '../http/schema/type.ts'
import { IdSchema, NameSchema, strict } from '../http/schema/validation.ts'
import type { Server } from '../http/server.ts'
import { refuseBeyond } from '../organizations/count-limit.ts'
import { getBase, type KnowledgeBase } from './base-row.ts'
import { checkEmbedding, EmbeddingSchema, KnowledgeBaseSchema, toBases } from './base-wire.ts'
import type { KnowledgeDeps } from './deps.ts'

/** Knowledge bases of an organization, at most. */
const MOST_BASES = 1_000

type BaseDeps = Pick<KnowledgeDeps, 'config' | 'database' | 'once' | 'embeddings'>

/** Creates and reads knowledge bases. */
export function baseRoutes(server: Server, { config, database, once, embeddings }: BaseDeps): void {
  server.post(
    '/v1/knowledge-bases',
    {
      config: { access: 'knowledge:write', once: true },
      schema: {
        tags: ['Knowledge'],
        operationId: 'createKnowledgeBase',
        summary: 'Make a knowledge base',
        body: strict({ name: NameSchema, embedding: Type.Optional(EmbeddingSchema) }),
        response: { 201: KnowledgeBaseSchema },
      },
    },
    async (request, reply) => {
      const { now } = request
      const { name, embedding = embeddings?.model ?? null } = request.body
      const { organizationId, actorId } = callerOf(request)
      checkEmbedding(embedding, embeddings)
      return once(request, reply, async (tx) => {
        // Locks the organization, so that no base is created after its deletion.
        const rows = tx
          .selectFrom('knowledge_base')
          .where('organization_id', '=', organizationId)
          .where('deleted_at', 'is', null)
        const limit = { rows, most: MOST_BASES, reason: 'too_many_knowledge_bases' } as const
        await refuseBeyond(tx, organizationId, limit)
        const row: KnowledgeBase = {
          id: newId('knowledgeBase', now),
          organization_id: organizationId,
          name,
          embedding,
          created_by: actorId,
          created_at: now,
          updated_at: now,
          deleted_at: null,
        }
        const inserted = await tx
          .insertInto('knowledge_base')
          .values(row)
          .onConflict((conflict) => conflict.columns(['organization_id', 'name']).doNothing())
          .returning('id')
          .executeTakeFirst()
        if (inserted === undefined) throw new ApiError('DUPLICATE', { field: 'name', value: name })
        await audit(tx, trailOf(request), {
          action: 'knowledge_base.created',
          organizationId,
          actorId,
          targetId: row.id,
          details: { name },
        })
        const [body] = await toBases(tx, [row])
        return {
          status: 201,
          body: body as NonNullable<typeof body>,
          headers: { location: `${config.web.baseUrl}/v1/knowledge-bases/${row.id}` },
        }
      })
    },
  )

  server.get(
    '/v1/knowledge-bases',
    {
      config: { access: 'knowledge:read' },
      schema: {
        tags: ['Knowledge'],
        operationId: 'listKnowledgeBases',
        summary: 'List knowledge bases',
        querystring: strict({ ...PageQuery, search: searchOf('their name') }),
        response: { 200: Page(KnowledgeBaseSchema) },
      },
    },
    async (request) => {
      const page = readPage('knowledgeBase', request.query)
      const own = database.db
        .selectFrom('knowledge_base')
        .where('organization_id', '=', callerOf(request).organizationId)
        .where('deleted_at', 'is', null)
      const rows = await findPage(
        page,
        request.query.search,
        (part) => own.select(['id', 'name']).$call(inPage(part)).execute(),
        (ofPage) => own.selectAll().$call(ofPage).execute(),
      )
      return toPage(await toBases(database.db, rows), page, (wire) => wire)
    },
  )

  server.get(
    '/v1/knowledge-bases/:id',
    {
      config: { access: 'knowledge:read' },
      schema: {
        tags: ['Knowledge'],
        operationId: 'readKnowledgeBase',
        summary: 'Read a knowledge base',
        params: strict({ id: IdSchema('knowledgeBase') }),
        response: { 200: KnowledgeBaseSchema },
      },
    },
    async (request) => {
      const row = await getBase(database.db, callerOf(request).organizationId, request.params.id)
      const [wire] = await toBases(database.db, [row])
      return wire as NonNullable<typeof wire>
    },
  )
}
