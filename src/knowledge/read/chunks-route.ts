import { ApiError } from '../../core/errors.ts'
import { callerOf } from '../../http/principal.ts'
import { Page, PageQuery } from '../../http/schema/list.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { chunkIdOf, LocationSchema, locationOf } from '../chunk-wire.ts'
import type { KnowledgeDeps } from '../deps.ts'
import { getDocument } from '../documents/document-row.ts'
import { MOST_CHUNKS } from '../indexing/staged-version.ts'

const ChunkSchema = Type.Object({
  chunkId: Type.String({ description: 'The id of the passage in searches.' }),
  position: Type.Integer({ description: 'Its place in the document, from 0 on.' }),
  text: Type.String(),
  location: LocationSchema,
})

/** `GET /v1/documents/{id}/chunks`: the indexed passages of a document, in the order of its text. */
export function chunkRoutes(server: Server, { database }: Pick<KnowledgeDeps, 'database'>): void {
  server.get(
    '/v1/documents/:id/chunks',
    {
      config: { access: 'knowledge:read' },
      schema: {
        tags: ['Knowledge'],
        operationId: 'listDocumentChunks',
        summary: 'List the passages of a document',
        description:
          'The passages that searches find, in the order of the text; none before it was indexed. A cursor is valid until the document is indexed again.',
        params: strict({ id: IdSchema('document') }),
        querystring: strict({
          ...PageQuery,
          from: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: MOST_CHUNKS.document,
              description:
                'Only passages from this position on; the number at the end of a `chunkId` is one.',
            }),
          ),
        }),
        response: { 200: Page(ChunkSchema) },
      },
    },
    async (request) => {
      const { params, query } = request
      const { id, version } = await getDocument(database.db, callerOf(request).organizationId, params.id)
      const place = query.cursor === undefined ? undefined : placeOf(query.cursor)
      const take = query.limit ?? 20
      // Joined with the document, so that the rows are of its current version.
      const rows = await database.db
        .selectFrom('chunk')
        .innerJoin('document', (join) =>
          join.onRef('document.id', '=', 'chunk.document_id').onRef('document.version', '=', 'chunk.version'),
        )
        .selectAll('chunk')
        .where('chunk.document_id', '=', id)
        .where('chunk.position', '>=', Math.max(place?.position ?? 0, query.from ?? 0))
        .orderBy('chunk.position')
        .limit(take + 1)
        .execute()
      if (place !== undefined && place.version !== (rows[0]?.version ?? version))
        throw new ApiError('VALIDATION_FAILED', {
          ...{ field: 'cursor', value: query.cursor, reason: 'indexed_again' },
        })
      const next = rows[take]
      return {
        data: rows.slice(0, take).map(({ position, text, ...row }) => ({
          ...{ chunkId: chunkIdOf(id, position), position, text, location: locationOf(row) },
        })),
        nextCursor: next === undefined ? null : cursorAt(next),
      }
    },
  )
}

/** A cursor: the version of the document, and a position in it. */
function cursorAt({ version, position }: { version: number; position: number }): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUInt32BE(version, 8)
  bytes.writeUInt32BE(position, 12)
  return `chk${bytes.toString('base64url')}`
}

function placeOf(cursor: string): { version: number; position: number } {
  const bytes = Buffer.from(cursor.slice(3), 'base64url')
  return { version: bytes.readUInt32BE(8), position: bytes.readUInt32BE(12) }
}
