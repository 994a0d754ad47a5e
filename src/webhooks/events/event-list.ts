import type { FastifyReply } from 'fastify'
import { toIso } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Database } from '../../db/database.ts'
import { getOwned } from '../../db/owned-row.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { findStart, type Span, seek, windowsOf } from '../../db/windows.ts'
import { memberTexts } from '../../http/body/json-text.ts'
import { callerOf } from '../../http/principal.ts'
import {
  inSpan,
  Page,
  PageQuery,
  type PageRequest,
  readPage,
  readSpan,
  restOf,
  SpanQuery,
  toPage,
} from '../../http/schema/list.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, Moment, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { listOrTable } from '../../http/table/tables.ts'
import type { WebhookDeps } from '../deps.ts'

const EventSchema = Type.Object({
  id: Type.String(),
  type: Type.String(),
  createdAt: Moment,
  data: Type.Object({}, { additionalProperties: true }),
})

/** An id, or how it begins. */
const IdPrefix = Type.String({
  pattern: '^evt_[0-9a-f-]{0,36}$',
  maxLength: 40,
  description: 'An id, or its beginning.',
  examples: ['evt_0198c1f2'],
})

/** `GET /v1/events` and one of them: the envelopes as they were signed and sent. */
export function eventListRoutes(
  server: Server,
  { database, sendList }: Pick<WebhookDeps, 'database' | 'sendList'>,
): void {
  server.get(
    '/v1/events',
    {
      config: { access: 'member', module: 'webhooks' },
      schema: {
        tags: ['Events'],
        operationId: 'listEvents',
        summary: 'List events',
        querystring: strict({
          ...PageQuery,
          ...SpanQuery,
          type: Type.Optional(Type.String({ maxLength: 128 })),
          id: Type.Optional(IdPrefix),
        }),
        response: { 200: listOrTable(Page(EventSchema)) },
      },
    },
    async (request, reply) => {
      const { organizationId } = callerOf(request)
      const { type, id } = request.query
      const span = withPrefix(readSpan('event', request.query), id)
      const first = readPage('event', request.query)
      const read = (page: PageRequest<'event'>) =>
        readEvents(database, organizationId, type, restOf(page, span), page.take)
      return sendList(request, reply, first, {
        ...{ name: 'events', columns: ['id', 'createdAt', 'type', 'data'], read, toWire: toRow },
        async page() {
          const { data, nextCursor } = toPage(await read(first), first, toText)
          return asWritten(reply, `{"data":[${data.join(',')}],"nextCursor":${JSON.stringify(nextCursor)}}`)
        },
      }) as never
    },
  )

  server.get(
    '/v1/events/:id',
    {
      config: { access: 'member', module: 'webhooks' },
      schema: {
        tags: ['Events'],
        operationId: 'readEvent',
        summary: 'Read an event',
        params: strict({ id: IdSchema('event') }),
        response: { 200: EventSchema },
      },
    },
    async (request, reply) => {
      const { organizationId } = callerOf(request)
      const row = await getOwned(database.db, 'event', request.params.id, organizationId)
      return asWritten(reply, toText(row))
    },
  )
}

/** The ids of a span that begin with a prefix; `g` comes after every letter of an id. */
function withPrefix({ from, before }: Span<'event'>, prefix: string | undefined): Span<'event'> {
  if (prefix === undefined) return { from, before }
  const [first, last] = [prefix, `${prefix}g`] as [Id<'event'>, Id<'event'>]
  return { from: first > from ? first : from, before: last < before ? last : before }
}

/** Events of a type have no index: they are looked for in windows. */
function readEvents(
  { db }: Database,
  organizationId: Id<'organization'>,
  type: string | undefined,
  span: Span<'event'>,
  take: number,
): Promise<Tables['event'][]> {
  const ofOrganization = () =>
    db.selectFrom('event').where('organization_id', '=', organizationId).orderBy('id', 'desc')
  const startOf = (one: Span<'event'>) => findStart(ofOrganization().select('id').$call(inSpan(one)))
  return seek(type === undefined ? [span] : windowsOf(span, startOf), take, (one, rest) =>
    ofOrganization()
      .selectAll()
      .$if(type !== undefined, (query) => query.where('type', '=', type ?? ''))
      .$call(inSpan(one))
      .limit(rest)
      .execute(),
  )
}

/** The envelope itself, byte for byte as it was signed and sent; its type is that of what it reads as. */
function toText({ body }: Pick<Tables['event'], 'body'>): string {
  return Buffer.from(body).toString('utf8')
}

/** A line of the table, with the data as they were written. */
function toRow(row: Tables['event']) {
  const { id, type, created_at } = row
  return { id, type, createdAt: toIso(created_at), data: memberTexts(toText(row)).get('data') }
}

/** Answers with a JSON text as it stands; what would read and write it again would change numbers. */
function asWritten(reply: FastifyReply, text: string): never {
  return reply.type('application/json; charset=utf-8').send(text) as never
}
