import { notFound } from '../../db/owned-row.ts'
import { callerOf } from '../../http/principal.ts'
import { TextCursor, textPageFields } from '../../http/schema/text-page.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { KnowledgeDeps } from '../deps.ts'
import { getDocument } from '../documents/document-row.ts'
import { pageOf } from './text-page.ts'

const TextPage = Type.Object({
  text: Nullable(Type.String({ description: 'Null until its file was processed for the first time.' })),
  indexed: Type.Boolean({
    description:
      'Whether searches find passages of this text: false before it was indexed for the first time, and after its file was read again.',
  }),
  ...textPageFields('document'),
})

/** `GET /v1/documents/{id}/text`: the text of a document, a page at a time. */
export function textRoutes(
  server: Server,
  { database, readFilePage }: Pick<KnowledgeDeps, 'database' | 'readFilePage'>,
): void {
  server.get(
    '/v1/documents/:id/text',
    {
      config: { access: 'knowledge:read' },
      schema: {
        tags: ['Knowledge'],
        operationId: 'readDocumentText',
        summary: 'Read the text of a document',
        description:
          'In pages, which together are the text. For a document of a file it is the text of that file; for a failed file without a text the answer is the code of the failure. While a replacement is being indexed, it is the text that searches find. A cursor is valid until searches find another text, or the file is read again.',
        params: strict({ id: IdSchema('document') }),
        querystring: strict({ cursor: Type.Optional(TextCursor) }),
        response: { 200: TextPage },
      },
    },
    async (request) => {
      const { organizationId } = callerOf(request)
      const { id } = await getDocument(database.db, organizationId, request.params.id)
      // One statement, because a replacement may be applied between two.
      const row = await database.db
        .selectFrom('document')
        .leftJoin('document_text', 'document_text.document_id', 'document.id')
        .select(['document.file_id', 'document.sha256', 'document.version', 'document.text_id'])
        .select('document_text.text')
        .where('document.id', '=', id)
        .executeTakeFirst()
      if (row === undefined) throw notFound('id', id)
      const { cursor } = request.query
      const isIndexed = row.version > 0
      if (row.file_id !== null) {
        const { textId, text, parts, nextCursor } = await readFilePage(organizationId, row.file_id, cursor)
        return { text, parts, nextCursor, indexed: isIndexed && textId === row.text_id }
      }
      return { ...pageOf({ text: row.text ?? '', sha256: row.sha256 }, cursor), indexed: isIndexed }
    },
  )
}
