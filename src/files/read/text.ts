import { callerOf } from '../../http/principal.ts'
import { TextCursor, textPageFields } from '../../http/schema/text-page.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { ReadFilePage } from './file-page.ts'

const TextPage = Type.Object({
  status: Type.String({
    enum: ['processing', 'processed'],
    description:
      'With `processing`, a text is that of an earlier reading, and stays until the next one has ended.',
  }),
  text: Nullable(Type.String({ description: 'Null until the file was processed for the first time.' })),
  ...textPageFields('file'),
})

/** `GET /v1/files/{id}/text`: the text of a file, a page at a time. */
export function textRoutes(server: Server, readFilePage: ReadFilePage): void {
  server.get(
    '/v1/files/:id/text',
    {
      config: { access: 'files:read' },
      schema: {
        tags: ['Files'],
        operationId: 'readFileText',
        summary: 'Read the text of a file',
        description:
          'In pages, which together are the text. A cursor is valid until the file is read again. For a failed file without a text the answer is the code of the failure.',
        params: strict({ id: IdSchema('file') }),
        querystring: strict({ cursor: Type.Optional(TextCursor) }),
        response: { 200: TextPage },
      },
    },
    async (request) => {
      const { params, query } = request
      const { organizationId } = callerOf(request)
      const { textId: _, ...page } = await readFilePage(organizationId, params.id, query.cursor)
      return page
    },
  )
}
