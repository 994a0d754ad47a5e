import { toIso } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import type { Db, Tx } from '../db/database.ts'
import { type Static, Type } from '../http/schema/type.ts'
import { Moment, Nullable } from '../http/schema/validation.ts'
import type { KnowledgeBase } from './base-row.ts'
import type { KnowledgeDeps } from './deps.ts'

export const EmbeddingSchema = Nullable(
  Type.String({
    minLength: 1,
    maxLength: 200,
    description:
      'The model of the server, or null for none. Default: the model of the server, if it has one.',
  }),
)

/** @throws ApiError VALIDATION_FAILED where the server does not have the model */
export function checkEmbedding(embedding: string | null, embeddings: KnowledgeDeps['embeddings']): void {
  if (embedding === null || embedding === embeddings?.model) return
  throw new ApiError('VALIDATION_FAILED', { field: 'embedding', value: embedding, reason: 'unknown_model' })
}

export const KnowledgeBaseSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  embedding: Nullable(
    Type.String({
      description: 'The model of the vectors by which its documents are also searched; null: none.',
    }),
  ),
  documents: Type.Integer(),
  chunks: Type.Integer({ description: 'Passages that are found.' }),
  createdBy: Nullable(Type.String()),
  createdAt: Moment,
  updatedAt: Moment,
})

/** Knowledge bases in the form of the API, with the counts of their documents. */
export async function toBases(
  db: Db | Tx,
  rows: KnowledgeBase[],
): Promise<Static<typeof KnowledgeBaseSchema>[]> {
  const ids = rows.map(({ id }) => id)
  const counted =
    ids.length === 0
      ? []
      : await db
          .selectFrom('document')
          .select('knowledge_base_id as id')
          .select(({ fn }) => [fn.countAll<number>().as('documents'), fn.sum<number>('chunks').as('chunks')])
          .where('knowledge_base_id', 'in', ids)
          .groupBy('knowledge_base_id')
          .execute()
  const counts = new Map(counted.map((one) => [one.id, one]))
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    embedding: row.embedding,
    documents: Number(counts.get(row.id)?.documents ?? 0),
    chunks: Number(counts.get(row.id)?.chunks ?? 0),
    createdBy: row.created_by,
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
  }))
}
