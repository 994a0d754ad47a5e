import { MissingBytesError } from '../../blobs/bytes.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import { getOwned } from '../../db/owned-row.ts'
import { callerOf } from '../../http/principal.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { IdSchema, Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { FileDeps } from '../deps.ts'
import { mustNotHaveFailed } from '../file-wire.ts'
import { AlteredTextError, fromLines } from '../pieces.ts'

/** Characters of a page; one is longer by less than a part of the text. */
const PAGE = 128 * 1024
/** So much of what is stored is asked for at a time: a page in the longest characters, and what stands around it. */
const READ_AHEAD = 2 * 1024 * 1024

const TextPage = Type.Object({
  status: Type.String({
    enum: ['processing', 'processed'],
    description: '`processing` beside a text: it is of an earlier reading, and stays until the next is done.',
  }),
  text: Nullable(Type.String({ description: 'null until the file was processed for the first time.' })),
  parts: Type.Array(
    Type.Object({
      offset: Type.Integer({ description: 'Where in `text` it begins, in UTF-16 code units.' }),
      page: Type.Optional(Type.Integer()),
      sheet: Type.Optional(Type.String()),
      heading: Type.Optional(Type.String()),
    }),
    { description: 'Where in the file the parts of `text` stand.' },
  ),
  nextCursor: Nullable(Type.String()),
})

/** `GET /v1/files/{id}/text`: the text of a file, a page at a time. */
export function textRoutes(server: Server, { blobs, database }: Pick<FileDeps, 'blobs' | 'database'>): void {
  server.get(
    '/v1/files/:id/text',
    {
      config: { access: 'member', module: 'files' },
      schema: {
        tags: ['Files'],
        operationId: 'readFileText',
        summary: 'Read the text of a file',
        description:
          'In pages: all pages put together are the text. Of a file that has none, and failed, the answer is the code of why it did.',
        params: strict({ id: IdSchema('file') }),
        querystring: strict({
          cursor: Type.Optional(
            Type.String({
              pattern: '^[0-9]{1,12}$',
              maxLength: 12,
              description: 'The `nextCursor` of the page before.',
            }),
          ),
        }),
        response: { 200: TextPage },
      },
    },
    async (request) => {
      const { organizationId } = callerOf(request)
      const file = await getOwned(database.db, 'file', request.params.id, organizationId)
      if (file.text_blob_id === null) {
        mustNotHaveFailed(file)
        return { status: 'processing', text: null, parts: [], nextCursor: null }
      }
      try {
        const page = await readPage(file.text_blob_id, Number(request.query.cursor ?? 0))
        return { status: file.status, ...page }
      } catch (error) {
        if (!(error instanceof AlteredTextError || error instanceof MissingBytesError)) throw error
        request.log.error({ err: error, fileId: file.id }, 'text damaged')
        throw new ApiError('PROCESSING_FAILED', { fileId: file.id, reason: 'blob_altered' })
      }
    },
  )

  async function readPage(
    blobId: Id<'blob'>,
    cursor: number,
  ): Promise<Omit<Static<typeof TextPage>, 'status'>> {
    let [text, next]: [string, string | null] = ['', null]
    const parts: Static<typeof TextPage>['parts'] = []
    const { bytes, isLast } = await readSome(blobId, cursor)
    for await (const piece of fromLines(bytes, cursor)) {
      parts.push({ offset: text.length, ...piece.location })
      text += piece.text
      next = String(piece.next)
      if (text.length >= PAGE) break
    }
    const isAll = isLast(Number(next ?? cursor))
    return { text, parts, nextCursor: isAll ? null : next }
  }

  /** What is stored from a line's beginning on. @throws ApiError VALIDATION_FAILED where none begins there */
  async function readSome(blobId: Id<'blob'>, cursor: number) {
    const { size } = await database.db
      .selectFrom('blob')
      .select('size')
      .where('id', '=', blobId)
      .executeTakeFirstOrThrow(() => new MissingBytesError(blobId))
    const first = Math.max(0, cursor - 1)
    const last = Math.min(size, first + READ_AHEAD) - 1
    const isLast = (at: number) => at >= size
    if (cursor > 0 && cursor >= size) throw badCursor(cursor)
    const chunks: Uint8Array[] = []
    if (size > 0) for await (const chunk of await blobs.read(blobId, { first, last })) chunks.push(chunk)
    const all = Buffer.concat(chunks)
    if (cursor > 0 && all[0] !== 10) throw badCursor(cursor)
    const own = cursor > 0 ? all.subarray(1) : all
    // Up to the last whole line of what was asked for.
    const whole = last === size - 1 ? own : own.subarray(0, own.lastIndexOf(10) + 1)
    return { bytes: [whole] as unknown as AsyncIterable<Uint8Array>, isLast }
  }
}

function badCursor(cursor: number): ApiError {
  return new ApiError('VALIDATION_FAILED', {
    field: 'cursor',
    value: String(cursor),
    reason: 'not_of_this_text',
  })
}
