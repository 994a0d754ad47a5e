import { callerOf } from '../../http/principal.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { getBase } from '../base-row.ts'
import { LocationSchema } from '../chunk-wire.ts'
import type { KnowledgeDeps } from '../deps.ts'
import type { Search } from './search.ts'

const LONGEST_QUERY = 2_000
const MOST_PASSAGES = 50
/** JSON needs up to six bytes for a character. */
const LARGEST_BODY = 16 * 1024

const PassageSchema = Type.Object({
  documentId: Type.String(),
  documentName: Type.String(),
  knowledgeBaseId: Type.String(),
  chunkId: Type.String(),
  text: Type.String(),
  location: LocationSchema,
  score: Type.Number({ description: 'Higher is better; comparable only within one answer.' }),
})

/** `POST /v1/knowledge-bases/{id}/search`. */
export function searchRoutes(
  server: Server,
  { database, search }: Pick<KnowledgeDeps, 'database'> & { search: Search },
): void {
  server.post(
    '/v1/knowledge-bases/:id/search',
    {
      config: { access: 'knowledge:read' },
      bodyLimit: LARGEST_BODY,
      schema: {
        tags: ['Knowledge'],
        operationId: 'searchKnowledgeBase',
        summary: 'Search a knowledge base',
        description: 'Every word of the query is searched literally; queries have no syntax.',
        params: strict({ id: IdSchema('knowledgeBase') }),
        body: strict({
          query: Type.String({ minLength: 1, maxLength: LONGEST_QUERY }),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_PASSAGES, default: 10 })),
          mode: Type.Optional(
            Type.Unsafe<'auto' | 'text' | 'vector'>(
              Type.String({
                enum: ['auto', 'text', 'vector'],
                default: 'auto',
                description: '`auto`: by words, and by vectors where all of the base has them.',
              }),
            ),
          ),
        }),
        response: {
          200: Type.Object({
            data: Type.Array(PassageSchema),
            mode: Type.String({ enum: ['text', 'vector', 'both'], description: 'The kind of search.' }),
            reason: Nullable(
              Type.String({
                description: 'Why vectors were not used, if the request or the base asks for them.',
              }),
            ),
          }),
        },
      },
    },
    async (request) => {
      const { query, limit = 10, mode = 'auto' } = request.body
      const { organizationId } = callerOf(request)
      const { id } = await getBase(database.db, organizationId, request.params.id)
      const found = await search({ organizationId, baseIds: [id], query, limit, mode })
      return { data: found.passages, mode: found.mode, reason: found.reason }
    },
  )
}
