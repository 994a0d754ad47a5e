import { trailOf } from '../audit/audit.ts'
import { stopwatch, toIso } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { newId, parseId } from '../core/id.ts'
import { NoCursor } from '../http/schema/list.ts'
import { documented } from '../http/schema/public-schema.ts'
import { readSecretHeaders, SecretHeaders } from '../http/schema/secret-headers.ts'
import { Type } from '../http/schema/type.ts'
import { IdSchema, NameSchema, Nullable, strict } from '../http/schema/validation.ts'
import type { Server } from '../http/server.ts'
import { DESTINATION_PATTERN, LONGEST_URL, readDestination } from '../net/destination.ts'
import type { Shared } from '../shared/shared.ts'
import { type PostDeps, postEntries, targetOf } from './post-entries.ts'
import {
  addStream,
  changeStream,
  endStream,
  getStream,
  listStreams,
  rotateSecret,
  type StreamParts,
} from './stream-store.ts'
import { StreamFields, showStream } from './stream-wire.ts'

const tags = ['Operator']
const ById = strict({ id: IdSchema('auditStream') })

/** Headers that a stream sets itself. */
const OWN_HEADERS =
  /^(?:accept|accept-encoding|connection|content-length|content-type|cookie2?|expect|forwarded|host|keep-alive|te|trailer|transfer-encoding|upgrade|user-agent|via)$|^(?:webhook|x-service|proxy|sec|x-forwarded|x-real)-/

const Fields = {
  name: NameSchema,
  url: Type.String({
    minLength: 1,
    maxLength: LONGEST_URL,
    description: 'Where entries are POSTed. It may be in a private network.',
    examples: ['https://siem.acme.test/ingest'],
    ...documented({ pattern: DESTINATION_PATTERN }),
  }),
  headers: SecretHeaders(
    OWN_HEADERS,
    'Sent with every request, such as `Authorization` of the receiver; never shown.',
  ),
}

interface RouteDeps extends PostDeps, StreamParts, Pick<Shared, 'config' | 'database' | 'once'> {}

/** @throws ApiError VALIDATION_FAILED */
function checkUrl(text: string): void {
  const url = readDestination(text)
  if (typeof url !== 'string') return
  // The text before an `@` may contain a password.
  const value = url === 'credentials' ? {} : { value: text.slice(0, 256) }
  throw new ApiError('VALIDATION_FAILED', { field: 'url', ...value, reason: url })
}

/** Creating, listing, changing, testing, rotating and deleting streams of the audit log. */
export function streamRoutes(server: Server, deps: RouteDeps): void {
  const { config, database, once, vault } = deps
  const path = '/v1/operator/audit-streams'

  server.post(
    path,
    {
      config: { access: 'installation', once: true },
      schema: {
        tags,
        operationId: 'createAuditStream',
        summary: 'Stream the audit log to a URL',
        description:
          'Every later entry, of all organizations and of none, is POSTed there as lines of JSON, at least once. Only this answer has the `secret` that signs.',
        body: strict({ name: Fields.name, url: Fields.url, headers: Type.Optional(Fields.headers) }),
        response: { 201: Type.Object({ ...StreamFields, secret: Type.String() }) },
      },
    },
    (request, reply) => {
      const { name, url } = request.body
      checkUrl(url)
      const headers = readSecretHeaders(request.body.headers ?? {}, OWN_HEADERS)
      return once(request, reply, async (tx) => {
        const wanted = { name: name.trim(), url, headers }
        const { row, secret } = await addStream(tx, deps, trailOf(request), wanted)
        const location = `${config.web.baseUrl}${path}/${row.id}`
        return { status: 201, body: { ...(await showStream(tx, row)), secret }, headers: { location } }
      })
    },
  )

  server.get(
    path,
    {
      config: { access: 'installation' },
      schema: {
        tags,
        operationId: 'listAuditStreams',
        summary: 'List the streams of the audit log',
        description: 'How far each is behind, since when it fails, and why.',
        response: { 200: Type.Object({ data: Type.Array(Type.Object(StreamFields)), nextCursor: NoCursor }) },
      },
    },
    async () => {
      const rows = await listStreams(database.db)
      return { data: await Promise.all(rows.map((row) => showStream(database.db, row))), nextCursor: null }
    },
  )

  server.patch(
    `${path}/:id`,
    {
      config: { access: 'installation' },
      schema: {
        tags,
        operationId: 'updateAuditStream',
        summary: 'Change, pause or resume a stream of the audit log',
        description:
          'Unsent entries are kept while it is paused, and are sent to a new URL. A change causes an attempt at once.',
        params: ById,
        body: strict(
          {
            name: Type.Optional(Fields.name),
            url: Type.Optional(Fields.url),
            headers: Type.Optional(Nullable(Fields.headers)),
            paused: Type.Optional(Type.Boolean()),
          },
          { minProperties: 1 },
        ),
        response: { 200: Type.Object(StreamFields) },
      },
    },
    async (request) => {
      const id = parseId('auditStream', request.params.id)
      const { name, url, paused: isPaused } = request.body
      if (url !== undefined) checkUrl(url)
      const given = request.body.headers
      const headers = given === undefined ? undefined : readSecretHeaders(given ?? {}, OWN_HEADERS)
      const change = { name: name?.trim(), url, headers, isPaused }
      const row = await database.tx((tx) => changeStream(tx, deps, trailOf(request), id, change))
      return showStream(database.db, row)
    },
  )

  server.post(
    `${path}/:id/test`,
    {
      config: { access: 'installation' },
      schema: {
        tags,
        operationId: 'testAuditStream',
        summary: 'Send a sample to a stream of the audit log',
        description:
          'POSTs one entry with the action `audit_stream.tested`, which is in no audit log, and returns the destination’s response. Works while it is paused.',
        params: ById,
        response: {
          200: Type.Object({
            taken: Type.Boolean(),
            status: Nullable(Type.Integer()),
            reason: Nullable(Type.String()),
            durationMs: Type.Integer({ minimum: 0 }),
          }),
        },
      },
    },
    async (request) => {
      const { now } = request
      const stream = await getStream(database.db, parseId('auditStream', request.params.id))
      const { ip, userAgent, requestId } = trailOf(request)
      const sample = {
        ...{ id: newId('audit', now), action: 'audit_stream.tested', organizationId: null, accountId: null },
        ...{ actorId: null, keyId: null, targetId: stream.id, details: {}, ip, userAgent, requestId },
        createdAt: toIso(now),
      }
      const elapsed = stopwatch()
      const posted = await postEntries(deps, await targetOf(database.db, vault, stream, now), [sample])
      const reason = posted.isTaken ? null : posted.reason
      return { taken: posted.isTaken, status: posted.status, reason, durationMs: Math.round(elapsed()) }
    },
  )

  server.post(
    `${path}/:id/rotate-secret`,
    {
      config: { access: 'installation', once: true },
      schema: {
        tags,
        operationId: 'rotateAuditStreamSecret',
        summary: 'Give a stream of the audit log another secret',
        description: 'Only this answer has the new `secret`. The previous one also signs for 24 hours.',
        params: ById,
        response: {
          200: Type.Object({
            ...StreamFields,
            secret: Type.String(),
            previousExpiresAt: Type.String({ format: 'date-time' }),
          }),
        },
      },
    },
    async (request, reply) => {
      const id = parseId('auditStream', request.params.id)
      return once(request, reply, async (tx) => {
        const { row, secret, previousExpiresAt } = await rotateSecret(tx, deps, trailOf(request), id)
        const body = { ...(await showStream(tx, row)), secret, previousExpiresAt: toIso(previousExpiresAt) }
        return { status: 200, body }
      })
    },
  )

  server.delete(
    `${path}/:id`,
    {
      config: { access: 'installation' },
      schema: {
        tags,
        operationId: 'deleteAuditStream',
        summary: 'Delete a stream of the audit log',
        description: 'Unsent entries are not sent any more; the audit log itself stays.',
        params: ById,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const id = parseId('auditStream', request.params.id)
      await database.tx((tx) => endStream(tx, trailOf(request), id))
      return reply.code(204).send(null)
    },
  )
}
