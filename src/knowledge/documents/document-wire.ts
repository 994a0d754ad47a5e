import { toIso, toIsoOrNull } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { Moment, Nullable } from '../../http/schema/validation.ts'
import type { LiveView } from '../../live/live-kinds.ts'
import { FailureSchema, toFailure } from '../../shared/failure.ts'
import type { Document } from './document-row.ts'

const STATUSES = ['queued', 'indexing', 'indexed', 'failed'] as const satisfies Document['status'][]

export const DocumentSchema = Type.Object({
  id: Type.String(),
  knowledgeBaseId: Type.String(),
  name: Type.String(),
  fileId: Nullable(Type.String()),
  sha256: Type.String(),
  status: Type.String({
    enum: STATUSES,
    description:
      'The state of the last indexing. Searches find the result of an earlier one until the next has succeeded.',
  }),
  error: Nullable(FailureSchema('Why the last indexing failed.')),
  replacement: Nullable(
    Type.Object(
      { name: Type.String(), fileId: Nullable(Type.String()), sha256: Type.String() },
      {
        description:
          'The content that replaces the current one after it is indexed; after a failure it stays here until it is indexed again or replaced.',
      },
    ),
  ),
  chunks: Type.Integer({ description: 'Passages of it that are found.' }),
  chars: Type.Integer(),
  embedding: Nullable(Type.String({ description: 'The model of its vectors.' })),
  createdBy: Nullable(Type.String()),
  createdAt: Moment,
  updatedAt: Moment,
  indexedAt: Nullable(Moment),
})

export function toWire(row: Document): Static<typeof DocumentSchema> {
  return {
    id: row.id,
    knowledgeBaseId: row.knowledge_base_id,
    name: row.name,
    fileId: row.file_id,
    sha256: row.sha256,
    status: row.status,
    error: toFailure(row),
    replacement:
      row.next_name === null || row.next_sha256 === null
        ? null
        : { name: row.next_name, fileId: row.next_file_id, sha256: row.next_sha256 },
    chunks: row.chunks,
    chars: row.chars,
    embedding: row.embedding,
    createdBy: row.created_by,
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
    indexedAt: toIsoOrNull(row.indexed_at),
  }
}

/** Documents in the live stream, without those of deleted bases. */
export const documentView: LiveView = {
  kind: 'document',
  async show(db, ids) {
    const rows = await db
      .selectFrom('document')
      .innerJoin('knowledge_base', 'knowledge_base.id', 'document.knowledge_base_id')
      .selectAll('document')
      .where('document.id', 'in', ids as Id<'document'>[])
      .where('knowledge_base.deleted_at', 'is', null)
      .execute()
    return rows.map((row) => ({
      ...{ id: row.id, organization_id: row.organization_id, about: '' },
      data: toWire(row),
    }))
  },
}
