import { SECOND } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { SIZE } from '../../core/limits.ts'
import { callerOf } from '../../http/principal.ts'
import { readWait } from '../../http/schema/prefer-wait.ts'
import { documented } from '../../http/schema/public-schema.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { DESTINATION_PATTERN, LONGEST_URL, readDestination } from '../../net/destination.ts'
import { Charset, mustBeCharset } from '../charset.ts'
import type { FileDeps } from '../deps.ts'
import { addFile } from '../file-row.ts'
import { FileSchema, toWire } from '../file-wire.ts'
import { waitForFile } from '../process/wait-for-processing.ts'
import { download, FETCH_DEADLINE, MOST_REDIRECTS } from './download.ts'
import type { ReceivedFile } from './upload-metadata.ts'
import { FileName } from './upload-metadata.ts'

const FromUrl = strict({
  url: Type.String({
    minLength: 1,
    maxLength: LONGEST_URL,
    description: 'Where it is: http or https, at a public address, without credentials.',
    examples: ['https://example.com/report.pdf'],
    ...documented({ pattern: DESTINATION_PATTERN }),
  }),
  name: Type.Optional(FileName),
  charset: Type.Optional(Charset),
})

/** `POST /v1/files/from-url`: downloads a URL as a file. */
export function fromUrlRoutes(server: Server, deps: FileDeps): void {
  const { blobs, fetches, once, readers } = deps
  server.post(
    '/v1/files/from-url',
    {
      config: { access: 'files:write', once: true },
      schema: {
        tags: ['Files'],
        operationId: 'fetchFile',
        summary: 'Fetch a file from a URL',
        description: `The file is fetched before the answer: ${FETCH_DEADLINE / SECOND} seconds, ${MOST_REDIRECTS} redirects and ${SIZE.file / 1024 ** 2} MiB at most, and from no private network except those of \`FILES_ALLOWED_NETWORKS\`. \`details.reason\` of \`FETCH_FAILED\` has the cause of a failure. Its text is read afterwards, like that of an upload.`,
        body: FromUrl,
        response: { 201: FileSchema },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const wait = readWait(request, reply)
      const url = checkUrl(request.body)
      const charset = request.body.charset === undefined ? undefined : mustBeCharset(request.body.charset)
      readers.prestart()
      let received: ReceivedFile | undefined
      let isKept = false
      try {
        const file = await once(
          request,
          reply,
          async (tx, fetched: ReceivedFile) => {
            const row = await addFile(tx, deps, { ...caller, ...fetched }, request.now)
            isKept = true
            return { status: 201, body: toWire(row), headers: { location: `/v1/files/${row.id}` } }
          },
          async () => {
            received = await fetches.use(caller.organizationId, () => download(deps, caller, url))
            received = {
              ...received,
              name: request.body.name ?? received.name,
              charset: charset ?? received.charset,
            }
            return received
          },
        )
        return waitForFile(deps, request, file, wait)
      } catch (error) {
        isKept = false
        throw error
      } finally {
        if (!isKept && received !== undefined) await blobs.abandon(received.blob)
      }
    },
  )
}

/** @throws ApiError VALIDATION_FAILED */
function checkUrl({ url: text }: Static<typeof FromUrl>): URL {
  const url = readDestination(text)
  if (typeof url !== 'string') return url
  throw new ApiError('VALIDATION_FAILED', { field: 'url', value: text.slice(0, 256), reason: url })
}
