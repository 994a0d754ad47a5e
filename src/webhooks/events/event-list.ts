import type { FastifyReply } from 'fastify'
import { sql } from 'kysely'
import { toIso } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Database, Db } from '../../db/database.ts'
import { getOwned } from '../../db/owned-row.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { findBound, type Span, seek, windowsOf } from '../../db/windows.ts'
import { findPublisher } from '../../delivery/publish/publishers.ts'
import { memberTexts } from '../../http/body/json-text.ts'
import { jsonOrCsv } from '../../http/csv/list-export.ts'
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
import { IdSchema, Moment, Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { WebhookDeps } from '../deps.ts'

const EventSchema = Type.Object({
  id: Type.String(),
  type: Type.String(),
  createdAt: Moment,
  data: Type.Object({}, { additionalProperties: true }),
})

const ListedEventSchema = Type.Object(
  {
    ...EventSchema.properties,
    actorId: Nullable(
      Type.String({
        description:
          'The publisher: an account or a service account. Null for events of the platform and of inbound addresses.',
      }),
    ),
  },
  { title: 'EventItem' },
)

/** An item of the list of events. */
type Row = Pick<Tables['event'], 'id' | 'type' | 'body' | 'created_at'> & { actor_id: string | null }

/** An id, or its first characters. */
const IdPrefix = Type.String({
  pattern: '^evt_[0-9a-f-]{0,36}$',
  maxLength: 40,
  description: 'An id, or its beginning.',
  examples: ['evt_0198c1f2'],
})

/** `GET /v1/events`: envelopes with their publishers; `GET /v1/events/{id}`: one envelope as it was signed and sent. */
export function eventListRoutes(
  server: Server,
  { database, sendList }: Pick<WebhookDeps, 'database' | 'sendList'>,
): void {
  server.get(
    '/v1/events',
    {
      config: { access: 'events:read' },
      schema: {
        tags: ['Events'],
        operationId: 'listEvents',
        summary: 'List events',
        querystring: strict({
          ...PageQuery,
          ...SpanQuery,
          type: Type.Optional(Type.String({ maxLength: 128 })),
          id: Type.Optional(IdPrefix),
          actor: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 128,
              description: 'The publisher: the id of an account or of a service account.',
            }),
          ),
        }),
        response: { 200: jsonOrCsv(Page(ListedEventSchema)) },
      },
    },
    async (request, reply) => {
      const { organizationId } = callerOf(request)
      const { id, ...filter } = request.query
      const span = withPrefix(readSpan('event', request.query), id)
      const first = readPage('event', request.query)
      const read = (page: PageRequest<'event'>) =>
        readEvents(database, organizationId, filter, restOf(page, span), page.take)
      return sendList(request, reply, first, {
        ...{ name: 'events', columns: ['id', 'createdAt', 'type', 'actorId', 'data'], read, toWire: toRow },
        async page() {
          const { data, nextCursor } = toPage(await read(first), first, toItem)
          return asWritten(reply, `{"data":[${data.join(',')}],"nextCursor":${JSON.stringify(nextCursor)}}`)
        },
      }) as never
    },
  )

  server.get(
    '/v1/events/:id',
    {
      config: { access: 'events:read' },
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

/** The ids of a span that begin with a prefix; `g` sorts after every digit of an id. */
function withPrefix({ from, before }: Span<'event'>, prefix: string | undefined): Span<'event'> {
  if (prefix === undefined) return { from, before }
  const [first, last] = [prefix, `${prefix}g`] as [Id<'event'>, Id<'event'>]
  return { from: first > from ? first : from, before: last < before ? last : before }
}

interface EventFilter {
  type?: string
  actor?: string
}

/** The owner of the listed events. */
interface EventOwner {
  organizationId: Id<'organization'>
  /** The number of one publisher; undefined for all. */
  publisher?: number | undefined
}

/** Reads events of a filter. A type has no index, so that search goes window by window; a publisher has one. */
async function readEvents(
  { db }: Database,
  organizationId: Id<'organization'>,
  { type, actor }: EventFilter,
  span: Span<'event'>,
  take: number,
): Promise<Row[]> {
  const publisher =
    actor === undefined ? undefined : await findPublisher(db, { organizationId, actorId: actor })
  if (actor !== undefined && publisher === undefined) return []
  const whose = { organizationId, publisher }
  const startOf = (one: Span<'event'>) => findBound(selectSpan(db, whose, one).select('id'))
  return seek(type === undefined ? [span] : windowsOf(span, startOf), take, (one, rest) =>
    selectEvents(db, whose, one, rest)
      .$if(type !== undefined, (query) => query.where('type', '=', type ?? ''))
      .execute(),
  )
}

/** The newest events of a span, at most `take`. */
export function selectEvents(db: Db, whose: EventOwner, span: Span<'event'>, take: number) {
  return selectSpan(db, whose, span).select(['id', 'type', 'body', 'created_at', ACTOR]).limit(take)
}

/** Events in the order of an index; the form of the statement leaves the planner no other choice. */
function selectSpan(db: Db, { organizationId, publisher }: EventOwner, span: Span<'event'>) {
  const events = db.selectFrom('event')
  if (publisher === undefined)
    return events.where('organization_id', '=', organizationId).$call(inSpan(span)).orderBy('id', 'desc')
  // A publisher's number is unique within one organization.
  return events
    .where('publisher', 'is not', null)
    .where(sql<boolean>`(publisher, id) >= (${publisher}, ${span.from})`)
    .where(sql<boolean>`(publisher, id) < (${publisher}, ${span.before})`)
    .orderBy('publisher', 'desc')
    .orderBy('id', 'desc')
}

/** The publisher with the number in an event's row. */
const ACTOR = sql<string | null>`(select actor_id from publisher
  where publisher.number = event.publisher and publisher.organization_id = event.organization_id)`.as(
  'actor_id',
)

/** The envelope, byte for byte as it was signed and sent. */
function toText({ body }: Pick<Row, 'body'>): string {
  return Buffer.from(body).toString('utf8')
}

/** The envelope with its data as written, and its publisher. */
function toItem(row: Row): string {
  return `${toText(row).slice(0, -1)},"actorId":${JSON.stringify(row.actor_id)}}`
}

/** A CSV row, with the data as written. */
function toRow(row: Row) {
  const { id, type, created_at, actor_id } = row
  return {
    ...{ id, type, createdAt: toIso(created_at), actorId: actor_id },
    data: memberTexts(toText(row)).get('data'),
  }
}

/** Answers with a JSON text unchanged; parsing and serializing would change numbers. */
function asWritten(reply: FastifyReply, text: string): never {
  return reply.type('application/json; charset=utf-8').send(text) as never
}
