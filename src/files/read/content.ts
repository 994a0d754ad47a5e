import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { MissingBlobError } from '../../blobs/blob-storage.ts'
import { ApiError } from '../../core/errors.ts'
import { getOwned } from '../../db/owned-row.ts'
import { callerOf } from '../../http/principal.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, ofType, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { FileDeps } from '../deps.ts'
import type { FileRow } from '../file-wire.ts'
import { etagOf, requestedPart } from './conditional-request.ts'

/** The type of the answer: a browser must not interpret the bytes by a type that the uploader chose. */
const TYPE = 'application/octet-stream'

/** `GET /v1/files/{id}/content`: the uploaded bytes as an attachment, never as a page. */
export function contentRoutes(
  server: Server,
  { blobs, database }: Pick<FileDeps, 'blobs' | 'database'>,
): void {
  server.get(
    '/v1/files/:id/content',
    {
      config: { access: 'files:read' },
      schema: {
        tags: ['Files'],
        operationId: 'readFileContent',
        summary: 'Read the bytes of a file',
        description:
          'Always as an attachment. `Range: bytes=…` requests one range, also with `If-Range`; `If-None-Match` gets 304 for an unchanged file. A whole answer with altered bytes breaks off before its end; a range is not checked.',
        params: strict({ id: IdSchema('file') }),
        response: {
          200: ofType(TYPE, Type.Any()),
          206: ofType(TYPE, Type.Any()),
          304: Type.Null({ description: 'The caller has these bytes.' }),
        },
      },
    },
    async (request, reply) => {
      const { organizationId } = callerOf(request)
      const file = await getOwned(database.db, 'file', request.params.id, organizationId)
      const part = requestedPart(request.headers, file)
      void reply.header('etag', etagOf(file))
      if (part === 'nothing') return reply.code(304).type(TYPE).send(null)
      const range = part === 'whole' ? undefined : part
      const bytes = await blobs.read(file.blob_id, range).catch((error: unknown) => {
        if (!(error instanceof MissingBlobError)) throw error
        request.log.error({ err: error, fileId: file.id }, 'bytes missing')
        throw new ApiError('PROCESSING_FAILED', { fileId: file.id, reason: 'blob_missing' })
      })
      const size = range === undefined ? file.size_bytes : range.last - range.first + 1
      void reply.code(range === undefined ? 200 : 206).headers({
        'content-type': TYPE,
        'content-disposition': `attachment; ${fileNames(file.name)}`,
        'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
        'content-length': size,
        'accept-ranges': 'bytes',
        'x-media-type': file.media_type,
      })
      if (range === undefined) {
        const digest = Buffer.from(file.sha256, 'hex').toString('base64')
        void reply.header('content-digest', `sha-256=:${digest}:`)
      } else void reply.header('content-range', `bytes ${range.first}-${range.last}/${file.size_bytes}`)
      const proven = range === undefined ? whole(bytes, file) : bytes
      return reply.send(Readable.from(proven, { objectMode: false }))
    },
  )
}

/** Streams the bytes of a file. The last piece is only sent where the digest of all is correct. */
async function* whole(bytes: AsyncIterable<Uint8Array>, { id, sha256 }: FileRow): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let held: Uint8Array | undefined
  for await (const piece of bytes) {
    if (held !== undefined) yield held
    hash.update(piece)
    held = piece
  }
  if (hash.digest('hex') !== sha256) throw new Error(`the bytes of ${id} have been altered`)
  if (held !== undefined) yield held
}

/** The file name in UTF-8, and in ASCII for older clients (RFC 6266, RFC 8187). */
function fileNames(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const coded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `filename="${plain}"; filename*=UTF-8''${coded}`
}
