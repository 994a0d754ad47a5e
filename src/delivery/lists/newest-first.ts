import { sql } from 'kysely'
import { type Millis, turn } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { pagesOf } from '../../core/pages.ts'
import type { Db } from '../../db/database.ts'
import { preparedForRows } from '../../db/engine/prepared.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { Whose } from '../counts/read-counts.ts'
import type { Window } from './windows.ts'

type Delivery = Tables['delivery']
type Webhook = Tables['webhook']

/** The columns of a delivery that are shown. */
const SHOWN = [
  ...(['id', 'webhook_id', 'event_id', 'event_type', 'status', 'reason', 'sample', 'attempts'] as const),
  ...(['due_at', 'created_at', 'updated_at'] as const),
]

/** A delivery, with the status of its webhook. */
export type ShownDelivery = Pick<Delivery, (typeof SHOWN)[number]> & { webhook_status: Webhook['status'] }

/** A delivery as lists show it, with columns of its webhook and of its last attempt. */
export type ListedDelivery = ShownDelivery & {
  url: Webhook['url']
  webhook_updated_at: Millis
  last_status_code: number | null
  last_failure: string | null
  last_duration_ms: number | null
}

/** A column of the last attempt, from the row of the delivery or from the attempt's own. */
export const ofLast = <T>(column: 'status_code' | 'failure' | 'duration_ms') => sql<T>`case
  when delivery.attempts = 0 or delivery.started_at is not null then ${sql.ref(`delivery.${column}`)}
  else (
    select ${sql.ref(`attempt.${column}`)} from attempt
    where attempt.delivery_id = delivery.id order by attempt.number desc limit 1
  )
end`

/** Selects deliveries as lists show them. */
export function selectListed(db: Db) {
  return db
    .selectFrom('delivery')
    .innerJoin('webhook', 'webhook.id', 'delivery.webhook_id')
    .select(SHOWN.map((name) => `delivery.${name}` as const))
    .select([
      'webhook.url',
      'webhook.status as webhook_status',
      'webhook.updated_at as webhook_updated_at',
      ofLast<number | null>('status_code').as('last_status_code'),
      ofLast<string | null>('failure').as('last_failure'),
      ofLast<number | null>('duration_ms').as('last_duration_ms'),
    ])
}

/** The parameters of each webhook: its id, the span, and how many. */
const selectNewest = preparedForRows<ListedDelivery>((db, size) => {
  const newest = selectListed(db)
    .where('delivery.webhook_id', '=', '' as Id<'webhook'>)
    .where('delivery.id', '>=', '' as Id<'delivery'>)
    .where('delivery.id', '<', '' as Id<'delivery'>)
    .orderBy('delivery.id', 'desc')
    .limit(0)
  const each = Array.from({ length: size }, () => sql`select * from ${newest} as newest`)
  return sql<ListedDelivery>`${sql.join(each, sql` union all `)}`.compile(db)
})

/** Webhooks whose newest delivery one statement reads. */
const PAGE = 500
/** The most webhooks of one read, and the most rows in total. */
const AT_ONCE = 50
const MOST_ROWS = 1_000
const FEWEST_ROWS = 8

/** The deliveries of one webhook that are still to be read. */
interface Stream {
  webhookId: Id<'webhook'>
  /** Rows that were read and not yet yielded. */
  rows: ListedDelivery[]
  /** Rows that were not read have ids below this. */
  before: Id<'delivery'>
  isWhole: boolean
}

/**
 * The deliveries of an organization, newest first, in pages. It merges the indexes of its webhooks, so that it reads no delivery of
 * another organization and needs no index by organization. Other work has turns in between.
 * @param wanted about how many the caller needs
 */
export async function* newestFirst(
  db: Db,
  whose: Whose,
  { from, before }: Window,
  wanted: number,
): AsyncGenerator<ListedDelivery[], void, undefined> {
  let streams = await findStreams(db, whose, { from, before })
  let most = Math.min(MOST_ROWS, 2 * wanted)
  while (streams.length > 0) {
    streams.sort((a, b) => (placeOf(a) < placeOf(b) ? 1 : -1))
    const some = streams.slice(0, AT_ONCE)
    const rest = streams.slice(AT_ONCE)
    const empty = some.filter(({ rows }) => rows.length === 0)
    const limit = Math.max(FEWEST_ROWS, Math.ceil(most / empty.length))
    await read(db, empty, from, limit)
    // Every stream was read down to `floor`. Below it, deliveries that were not read yet may belong in between.
    const ends = some.flatMap(({ rows, isWhole }) => (isWhole ? [] : [rows.at(-1)?.id ?? from]))
    const [next] = rest
    const [floor = from] = [...ends, next === undefined ? from : placeOf(next)].sort().reverse()
    const ready = some.flatMap((stream) => takeDownTo(stream, floor))
    yield ready.sort((a, b) => (a.id < b.id ? 1 : -1))
    streams = [...some.filter(({ rows, isWhole }) => rows.length > 0 || !isWhole), ...rest]
    most = Math.min(MOST_ROWS, 2 * most)
    await turn()
  }
}

/** @returns the id of the newest delivery that the stream still has, or an id above it */
function placeOf({ rows, before }: Stream): Id<'delivery'> {
  return rows[0]?.id ?? before
}

async function read(db: Db, streams: Stream[], from: Id<'delivery'>, limit: number): Promise<void> {
  const found = await selectNewest(
    db,
    streams.map(({ webhookId, before }) => [webhookId, from, before, limit]),
  )
  const ofWebhook = Map.groupBy(found, ({ webhook_id }) => webhook_id)
  for (const stream of streams) {
    stream.rows = (ofWebhook.get(stream.webhookId) ?? []).sort((a, b) => (a.id < b.id ? 1 : -1))
    stream.isWhole = stream.rows.length < limit
    stream.before = stream.rows.at(-1)?.id ?? stream.before
  }
}

/** Takes the rows that are not below `floor` out of a stream. */
function takeDownTo(stream: Stream, floor: Id<'delivery'>): ListedDelivery[] {
  const below = stream.rows.findIndex(({ id }) => id < floor)
  return stream.rows.splice(0, below < 0 ? stream.rows.length : below)
}

/** The webhooks that have a delivery in the span. */
async function findStreams(db: Db, whose: Whose, span: Window): Promise<Stream[]> {
  const streams: Stream[] = []
  // An id followed by `.` sorts right after the id, so that the first read includes the newest delivery.
  for await (const { webhookId, newest } of newestOfEach(db, whose, span))
    streams.push({ webhookId, rows: [], before: `${newest}.` as Id<'delivery'>, isWhole: false })
  return streams
}

/** The newest delivery in the span of each webhook that has one there, by the index of each webhook's deliveries. */
async function* newestOfEach(
  db: Db,
  { organizationId, webhookId }: Whose,
  { from, before }: Window,
): AsyncGenerator<{ webhookId: Id<'webhook'>; newest: Id<'delivery'> }, void, undefined> {
  const webhooks = db
    .selectFrom('webhook')
    .select((where) => [
      'webhook.id',
      where
        .selectFrom('delivery')
        .select(({ fn }) => fn.max('delivery.id').as('id'))
        .whereRef('delivery.webhook_id', '=', 'webhook.id')
        .where('delivery.id', '>=', from)
        .where('delivery.id', '<', before)
        .as('newest'),
    ])
    .where('webhook.organization_id', '=', organizationId)
    .$if(webhookId !== undefined, (query) => query.where('webhook.id', '=', webhookId as Id<'webhook'>))
    .orderBy('webhook.id')
    .limit(PAGE)
  const pages = pagesOf<Pick<Webhook, 'id'> & { newest: Id<'delivery'> | null }>(PAGE, (last) =>
    webhooks.where('webhook.id', '>', last?.id ?? ('' as Id<'webhook'>)).execute(),
  )
  for await (const page of pages)
    for (const { id, newest } of page) if (newest !== null) yield { webhookId: id, newest }
}

/** The newest delivery in the span, of one webhook or of all of an organization; undefined where there is none. */
export async function newestIn(db: Db, whose: Whose, span: Window): Promise<Id<'delivery'> | undefined> {
  let found: Id<'delivery'> | undefined
  for await (const { newest } of newestOfEach(db, whose, span))
    if (found === undefined || newest > found) found = newest
  return found
}

/** The deliveries of one event, newest first, by the index of the event's deliveries. */
export function newestOfEvent(
  db: Db,
  { organizationId, webhookId }: Whose,
  eventId: Id<'event'>,
  { from, before }: Window,
): AsyncGenerator<ListedDelivery[], void, undefined> {
  const deliveries = selectListed(db)
    .where('delivery.event_id', '=', eventId)
    .where('delivery.organization_id', '=', organizationId)
    .$if(webhookId !== undefined, (query) =>
      query.where('delivery.webhook_id', '=', webhookId ?? ('' as never)),
    )
    .where('delivery.id', '>=', from)
    // The expression prevents the index of all deliveries, which would read deliveries of all organizations.
    .orderBy(sql`delivery.id || ''`, 'desc')
    .limit(MOST_ROWS)
  return pagesOf<ListedDelivery>(MOST_ROWS, (last) =>
    deliveries.where('delivery.id', '<', last?.id ?? before).execute(),
  )
}
