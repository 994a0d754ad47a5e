import { sql } from 'kysely'
import { ID_BYTES, type Id, newId, packIds, unpackIds } from '../../core/id.ts'
import { afterCommit, type Database, type Db, type Tx } from '../../db/database.ts'
import { preparedByIds } from '../../db/engine/lists.ts'
import { prepared } from '../../db/engine/prepared.ts'
import { literal } from '../../db/literal.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { insertDeliveries, selectBodies } from '../queue/delivery-row.ts'
import type { FanOutStore } from './fan-out.ts'
import { claimersOf, type DeliveryHandover, type Fresh, handOver, newDelivery } from './new-delivery.ts'

type Event = Tables['event']
type Webhook = Tables['webhook']

/** Deliveries that one step writes at most: several milliseconds where no other organization waits, else few. */
export const [STEP, SHORT_STEP] = [500, 100]
/** Events that one step reads. */
const MOST_EVENTS = 100

/** Webhooks of one row at most: each step writes the row again. */
const MOST_WEBHOOKS = 1_000

/** An event and the webhooks that it still has to reach. */
interface Left {
  event: Event
  /** One list for all events that reach the same ones. */
  subscribers: { id: Id<'webhook'> }[]
}

/** Rows, written with these events, that name the subscribers without a delivery so far. */
export function toFanOuts(left: Left[]): Tables['fan_out'][] {
  const rows: Tables['fan_out'][] = []
  for (const [subscribers, some] of Map.groupBy(left, (one) => one.subscribers)) {
    const [{ event: first }] = some as [Left]
    for (let start = 0; start < subscribers.length; start += MOST_WEBHOOKS)
      rows.push({
        id: newId('fanOut', first.created_at),
        organization_id: first.organization_id,
        events: packIds(some.map(({ event }) => event.id)),
        webhooks: packIds(subscribers.slice(start, start + MOST_WEBHOOKS).map(({ id }) => id)),
        position: 0,
      })
  }
  return rows
}

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
        const eventOf = await selectBodies(
          tx,
          claimed.map(({ event_id }) => event_id),
        )
        await insertDeliveries(tx, rows)
        const fresh = pairs.map(
          ({ event: { id, hops }, webhook }, index): Fresh => ({
            delivery: rows[index] as Fresh['delivery'],
            event: { body: eventOf.get(id)?.body ?? new Uint8Array(), hops },
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
  const eventOf = await selectEvents(
    tx,
    pairs.map(([event]) => event),
  )
  const webhookOf = await selectWebhooks(
    tx,
    pairs.map(([, webhook]) => webhook),
  )
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

const selectEvents = preparedByIds<Pair['event']>((db, list) =>
  sql<Pair['event']>`
    select id, organization_id, type, hops, created_at from event where id in (${list})`.compile(db),
)

const selectWebhooks = preparedByIds<Pair['webhook']>((db, list) =>
  sql<Pair['webhook']>`
    select id, status, max_in_flight as "maxInFlight", max_per_second as "maxPerSecond", listener is not null as "isListener" from webhook
    where id in (${list}) and status != ${literal('deleted')}`.compile(db),
)
