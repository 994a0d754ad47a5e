import { sql } from 'kysely'
import { ID_BYTES, type Id, unpackIds } from '../../core/id.ts'
import { afterCommit, type Database, type Db, type Tx } from '../../db/database.ts'
import { preparedForList } from '../../db/engine/lists.ts'
import { prepared } from '../../db/engine/prepared.ts'
import { literal } from '../../db/literal.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { insertDeliveries } from '../store/delivery-row.ts'
import type { FanOutStore } from './fan-out.ts'
import { claimersOf, type DeliveryHandover, type Fresh, handOver, newDelivery } from './new-delivery.ts'

type Event = Tables['event']
type Webhook = Tables['webhook']

/** Deliveries that one step writes at most: several milliseconds where no other organization waits, else few. */
export const [STEP, SHORT_STEP] = [500, 100]
/** Events that one step reads. */
const MOST_EVENTS = 100

/**
 * @param stepOf deliveries that one step of an organization writes
 * @param handover the worker that gets them after the commit
 */
export function createFanOutStore(
  database: Database,
  stepOf: (organizationId: Id<'organization'>) => number,
  handover: DeliveryHandover,
): FanOutStore {
  return {
    next: (after) => nextOrganization(database.db, after),
    step: (organizationId, now) =>
      database.tx(async (tx) => {
        const pairs = await takeStep(tx, database, organizationId, stepOf(organizationId))
        if (pairs === undefined) return undefined
        const claimers = claimersOf(handover, [[organizationId, pairs.map(({ webhook }) => webhook)]])
        const rows = pairs.map(({ event, webhook }) => newDelivery(event, webhook.id, claimers, now))
        const claimed = rows.filter(({ claim_id }) => claim_id !== null)
        const bodyOf = await findBodies(tx, [...new Set(claimed.map(({ event_id }) => event_id))])
        await insertDeliveries(tx, rows)
        const fresh = pairs.map(
          ({ event: { id, hops }, webhook }, index): Fresh => ({
            delivery: rows[index] as Fresh['delivery'],
            event: { body: bodyOf.get(id) ?? new Uint8Array(), hops },
            subscriber: webhook,
          }),
        )
        afterCommit(tx, () => handOver(handover, fresh))
        return fresh.length
      }),
  }
}

const selectNext = prepared<{ after: string }>()((db, value) =>
  db
    .selectFrom('fan_out')
    .select('organization_id')
    .where('organization_id', '>', value('after') as Id<'organization'>)
    .orderBy('organization_id')
    .limit(1),
)

async function nextOrganization(db: Db, after: string): Promise<Id<'organization'> | undefined> {
  const [next] = await selectNext(db, { after })
  if (next !== undefined || after === '') return next?.organization_id
  return nextOrganization(db, '')
}

/** A delivery to be written. */
interface Pair {
  event: Omit<Event, 'body' | 'publisher'>
  webhook: Fresh['subscriber'] & Pick<Webhook, 'id'>
}

/**
 * Takes the next deliveries of an organization, moves the position of its oldest row, and removes the row at its end. Events and
 * webhooks that were deleted since are left out.
 * @returns undefined when there is none, or another process has it in hand
 */
async function takeStep(
  tx: Tx,
  { skipLocked }: Database,
  organizationId: Id<'organization'>,
  most: number,
): Promise<Pair[] | undefined> {
  const row = await tx
    .selectFrom('fan_out')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .limit(1)
    .$call(skipLocked)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { id, position } = row
  const [events, webhooks] = [packedIds('event', row.events), packedIds('webhook', row.webhooks)]
  const all = events.size * webhooks.size
  const end = Math.min(position + most, position + MOST_EVENTS * webhooks.size, all)
  const pairs = Array.from({ length: end - position }, (_, index) => {
    const place = position + index
    return [events.at(Math.floor(place / webhooks.size)), webhooks.at(place % webhooks.size)] as const
  })
  if (end < all) await tx.updateTable('fan_out').set({ position: end }).where('id', '=', id).execute()
  else await tx.deleteFrom('fan_out').where('id', '=', id).execute()
  const eventOf = await findEvents(tx, [...new Set(pairs.map(([event]) => event))])
  const webhookOf = await findWebhooks(tx, [...new Set(pairs.map(([, webhook]) => webhook))])
  return pairs.flatMap(([eventId, webhookId]) => {
    const [event, webhook] = [eventOf.get(eventId), webhookOf.get(webhookId)]
    return event === undefined || webhook === undefined ? [] : [{ event, webhook }]
  })
}

/** Identifiers of a list, each unpacked when it is asked for: a step needs few of many. */
function packedIds<K extends 'event' | 'webhook'>(of: K, bytes: Uint8Array) {
  const known = new Map<number, Id<K>>()
  return {
    size: bytes.length / ID_BYTES,
    at(index: number): Id<K> {
      const start = index * ID_BYTES
      const id = known.get(index) ?? unpackIds(of, bytes.subarray(start, start + ID_BYTES))[0]
      known.set(index, id as Id<K>)
      return id as Id<K>
    },
  }
}

const selectEvents = preparedForList<Pick<Event, 'id'>, Pair['event']>({ id: 'text' }, (db, list) =>
  sql<Pair['event']>`
    select id, organization_id, type, hops, created_at from event where id in (${list})`.compile(db),
)

async function findEvents(tx: Tx, ids: Id<'event'>[]): Promise<Map<Id<'event'>, Pair['event']>> {
  const rows = await selectEvents(
    tx,
    ids.map((id) => ({ id })),
  )
  return new Map(rows.map((row) => [row.id, row]))
}

const selectWebhooks = preparedForList<Pick<Webhook, 'id'>, Pair['webhook']>({ id: 'text' }, (db, list) =>
  sql<Pair['webhook']>`
    select id, status, max_in_flight as "maxInFlight", max_per_second as "maxPerSecond", listener is not null as "isListener" from webhook
    where id in (${list}) and status != ${literal('deleted')}`.compile(db),
)

async function findWebhooks(tx: Tx, ids: Id<'webhook'>[]): Promise<Map<Id<'webhook'>, Pair['webhook']>> {
  const rows = await selectWebhooks(
    tx,
    ids.map((id) => ({ id })),
  )
  return new Map(rows.map((row) => [row.id, row]))
}

const selectBodies = preparedForList<Pick<Event, 'id'>, Pick<Event, 'id' | 'body'>>(
  { id: 'text' },
  (db, list) => sql<Pick<Event, 'id' | 'body'>>`select id, body from event where id in (${list})`.compile(db),
)

/** The bodies of events. */
async function findBodies(tx: Tx, ids: Id<'event'>[]): Promise<Map<Id<'event'>, Uint8Array>> {
  const rows = await selectBodies(
    tx,
    ids.map((id) => ({ id })),
  )
  return new Map(rows.map(({ id, body }) => [id, body]))
}
