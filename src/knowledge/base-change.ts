import { audit, trailOf } from '../audit/audit.ts'
import { ApiError } from '../core/errors.ts'
import { afterCommit } from '../db/database.ts'
import { notFound } from '../db/owned-row.ts'
import { callerOf } from '../http/principal.ts'
import { Type } from '../http/schema/type.ts'
import { IdSchema, NameSchema, strict } from '../http/schema/validation.ts'
import type { Server } from '../http/server.ts'
import { getBase } from './base-row.ts'
import { checkEmbedding, EmbeddingSchema, KnowledgeBaseSchema, toBases } from './base-wire.ts'
import type { KnowledgeDeps } from './deps.ts'

type ChangeDeps = Pick<KnowledgeDeps, 'database' | 'embeddings' | 'removeSoon'>

/** Changing a knowledge base, and deleting it. */
export function baseChangeRoutes(server: Server, { database, embeddings, removeSoon }: ChangeDeps): void {
  server.patch(
    '/v1/knowledge-bases/:id',
    {
      config: { access: 'knowledge:write' },
      schema: {
        tags: ['Knowledge'],
        operationId: 'updateKnowledgeBase',
        summary: 'Rename a knowledge base, or give it another embedding model',
        description:
          'After a change of the model it is searched only by text until each of its documents has been indexed again.',
        params: strict({ id: IdSchema('knowledgeBase') }),
        body: strict(
          { name: Type.Optional(NameSchema), embedding: Type.Optional(EmbeddingSchema) },
          { minProperties: 1 },
        ),
        response: { 200: KnowledgeBaseSchema },
      },
    },
    async (request) => {
      const { body, now } = request
      const { organizationId, actorId } = callerOf(request)
      if (body.embedding !== undefined) checkEmbedding(body.embedding, embeddings)
      return database
        .tx(async (tx) => {
          const before = await getBase(tx, organizationId, request.params.id)
          const after = await tx
            .updateTable('knowledge_base')
            .set({ ...body, updated_at: now })
            .where('id', '=', before.id)
            .where('deleted_at', 'is', null)
            .returningAll()
            .executeTakeFirst()
          if (after === undefined) throw notFound('id', before.id)
          await audit(tx, trailOf(request), {
            action: 'knowledge_base.updated',
            organizationId,
            actorId,
            targetId: after.id,
            details: { changed: Object.keys(body).join(' ') },
          })
          const [wire] = await toBases(tx, [after])
          return wire as NonNullable<typeof wire>
        })
        .catch((error: unknown) => {
          // The name is the only unique value.
          if (!database.isUniqueViolation(error)) throw error
          throw new ApiError('DUPLICATE', { field: 'name', value: body.name })
        })
    },
  )

  server.delete(
    '/v1/knowledge-bases/:id',
    {
      config: { access: 'knowledge:write' },
      schema: {
        tags: ['Knowledge'],
        operationId: 'deleteKnowledgeBase',
        summary: 'Delete a knowledge base',
        description: 'Nothing of it is found from then on; its documents and passages are removed after it.',
        params: strict({ id: IdSchema('knowledgeBase') }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { organizationId, actorId } = callerOf(request)
      await database.tx(async (tx) => {
        const { id, name } = await getBase(tx, organizationId, request.params.id)
        const deleted = await tx
          .updateTable('knowledge_base')
          // Frees the name for another base.
          .set({ name: id, deleted_at: request.now, updated_at: request.now })
          .where('id', '=', id)
          .where('deleted_at', 'is', null)
          .returning('id')
          .executeTakeFirst()
        if (deleted === undefined) throw notFound('id', id)
        await audit(tx, trailOf(request), {
          action: 'knowledge_base.deleted',
          organizationId,
          actorId,
          targetId: id,
          details: { name },
        })
        afterCommit(tx, removeSoon)
      })
      return reply.code(204).send(null)
    },
  )
}
