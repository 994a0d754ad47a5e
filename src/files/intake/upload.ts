import multipart from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { SECOND } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { SIZE } from '../../core/limits.ts'
import { callerOf } from '../../http/principal.ts'
import { LONGEST_WAIT, readWait } from '../../http/schema/prefer-wait.ts'
import { documented } from '../../http/schema/public-schema.ts'
import { Type } from '../../http/schema/type.ts'
import { strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { Charset, mustBeCharset } from '../charset.ts'
import type { FileDeps } from '../deps.ts'
import { addFile } from '../file-row.ts'
import { FileSchema, toWire } from '../file-wire.ts'
import { waitForFile } from '../process/wait-for-processing.ts'
import { LIMITS, readUploadForm } from './form.ts'
import { receiveUpload, UPLOAD_DEADLINE } from './receive-upload.ts'
import {
  declaredDigest,
  declaredTypeOf,
  FileName,
  type ReceivedFile,
  verifyDigest,
} from './upload-metadata.ts'

const BYTES = { type: 'string', format: 'binary', minLength: 1 }
/** The two forms of an upload in the OpenAPI document. The body is a stream, so no schema validates it. */
const BODIES = {
  content: {
    'application/octet-stream': { schema: Type.Any({ ...documented(BYTES) }) },
    'multipart/form-data': {
      schema: Type.Any({
        ...documented({
          type: 'object',
          required: ['file'],
          properties: { file: BYTES, name: FileName, charset: Charset },
          additionalProperties: false,
        }),
      }),
    },
  },
}

/** `POST /v1/files`: raw bytes, or a form with one file. */
export function uploadRoutes(server: Server, deps: FileDeps): void {
  const { blobs, once, readers, uploads } = deps

  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // The body stays a stream: it is stored while it arrives, and is never in memory as a whole.
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    await scope.register(multipart, { limits: LIMITS })
    scope.post<{ Querystring: { name?: string; charset?: string } }>(
      '/v1/files',
      {
        config: { access: 'files:write', once: true },
        schema: {
          tags: ['Files'],
          operationId: 'uploadFile',
          summary: 'Upload a file',
          description: `The plain bytes with \`Content-Type\` and \`?name=\`, or \`multipart/form-data\` with one part \`file\`; ${SIZE.file / 1024 ** 2} MiB at most, within ${UPLOAD_DEADLINE / SECOND} seconds. \`Content-Digest\` (RFC 9530, \`sha-256\`) is checked. Its text is read afterwards: with \`Prefer: wait=N\` the answer waits for that, ${LONGEST_WAIT / SECOND} seconds at most.`,
          querystring: strict({ name: Type.Optional(FileName), charset: Type.Optional(Charset) }),
          body: BODIES,
          response: { 201: FileSchema },
        },
      },
      async (request, reply) => {
        const caller = callerOf(request)
        const wait = readWait(request, reply)
        const digest = declaredDigest(request)
        readers.prestart()
        const received = await uploads
          .use(caller.organizationId, () => receive(request, deps))
          .catch((error: unknown) => {
            // The remaining body is not read, so the connection cannot be reused.
            void reply.header('connection', 'close')
            throw error
          })
        let isKept = false
        try {
          verifyDigest(digest, received.blob)
          // The idempotency key is bound to these values.
          const { blob, ...metadata } = received
          request.body = { sha256: blob.sha256, ...metadata }
          const file = await once(request, reply, async (tx) => {
            const row = await addFile(tx, deps, { ...caller, ...received }, request.now)
            isKept = true
            return { status: 201, body: toWire(row), headers: { location: `/v1/files/${row.id}` } }
          })
          return waitForFile(deps, request, file, wait)
        } catch (error) {
          isKept = false
          throw error
        } finally {
          // A repeated request has stored the same bytes a second time.
          if (!isKept) await blobs.abandon(received.blob)
        }
      },
    )
  })

  async function receive(request: FastifyRequest, { clock, log }: FileDeps): Promise<ReceivedFile> {
    const { organizationId } = callerOf(request)
    const take = (source: AsyncIterable<Uint8Array>) =>
      receiveUpload({ blobs, clock, log }, organizationId, source)
    const { name = 'untitled', charset: given } = request.query as { name?: string; charset?: string }
    const charset = given === undefined ? undefined : mustBeCharset(given)
    if (request.isMultipart()) return readUploadForm(request, { name, charset, take, abandon: blobs.abandon })
    const source = request.body as AsyncIterable<Uint8Array> | undefined
    if (source === undefined || source === null)
      throw new ApiError('VALIDATION_FAILED', { field: 'body', reason: 'empty' })
    const type = declaredTypeOf(request.headers['content-type'])
    return { blob: await take(source), name, ...type, charset: charset ?? type.charset }
  }
}
