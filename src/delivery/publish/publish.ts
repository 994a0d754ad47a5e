import { type Millis, toIso } from '../../core/clock.ts'
import { currentSpan } from '../../core/context.ts'
import { type Id, newId } from '../../core/id.ts'
import type { ActiveSpan } from '../../core/span-context.ts'
import { createSymbolProperty } from '../../core/symbol-property.ts'
import { afterCommit, type Database, noteChanges, type Tx } from '../../db/database.ts'
import { noteNothingWritten } from '../../db/engine/guard.ts'
import { preparedListInserts } from '../../db/engine/lists.ts'
import { createGroupCommit } from '../../db/group-commit.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { ADD_COUNTS, COUNT_COLUMNS, countsOfMade } from '../counts/delivery-counts.ts'
import { DELIVERY_COLUMNS } from '../queue/delivery-row.ts'
import { toFanOuts } from './fan-out-store.ts'
import { claimersOf, type DeliveryHandover, handOver, newDelivery } from './new-delivery.ts'
import { shareRows } from './row-shares.ts'
import {
  type Assumed,
  areAsAssumed,
  asksFor,
  type Found,
  type Subscription,
  type Subscriptions,
} from './subscriptions.ts'

/** The content of an event, from its publisher; `data` never holds a secret. */
export interface Fact {
  organizationId: Id<'organization'>
  type: string
  data: object
  /** `data` as JSON text, where it is published unchanged. */
  text?: string
  /** The only webhook that receives it; without it, all that subscribe to the type. */
  only?: Id<'webhook'>
  /** How many webhooks it has come through already; 0 unless given. */
  hops?: number
  /** The number of its publisher (`publishers.ts`); the platform itself unless given. */
  publisher?: number
  /** The span that published it. Default: the present span. */
  cause?: ActiveSpan | undefined
}

export interface Published {
  id: Id<'event'>
  /** How many webhooks it has a delivery for, paused ones included. */
  deliveries: number
}

/** Publishes an event in the transaction of the fact that it reports, so that both are committed or neither. */
export type Publish = (tx: Tx, now: Millis, fact: Fact) => Promise<Published>

/** A fact to publish, and its moment. */
export interface PublishRequest {
  now: Millis
  fact: Fact
}

/** Like `Publish`, for several facts of one transaction; the results have their order. */
export type PublishAll = (tx: Tx, requests: PublishRequest[]) => Promise<Published[]>

/** Publishes a fact in a transaction that it shares with other facts only; resolves after the commit. */
export type PublishGrouped = (now: Millis, fact: Fact) => Promise<Published>

/** An event and its subscribers. */
interface Publication {
  event: Tables['event']
  subscribers: Subscription[]
}

/** Facts that share a commit, at most; and commits under way at once. */
const [MOST_FACTS, MOST_COMMITS] = [200, 2]
/** Rows of one transaction at most, events and deliveries together. */
const MOST_ROWS = 1_000
/** Deliveries of one organization in a commit, where other organizations publish too: they wait for the commit. */
const MOST_BESIDE = 200
/** How many rows a transaction has written. */
const written = createSymbolProperty<Tx, number>()

/**
 * Event rows and delivery rows, written together; the queue is the delivery table (architecture: the way of a delivery).
 * Deliveries that would be too many for one commit are noted in it, and written soon after (`fan-out.ts`).
 * @param onLeft called after a commit that left some to be written
 * @param isAlone whether no other organization waits for a long commit of this one
 */
export function createPublishAll(
  handover: DeliveryHandover,
  subscriptions: Subscriptions,
  onLeft: () => void = () => {},
  isAlone: (organizationId: Id<'organization'>) => boolean = () => true,
): PublishAll {
  /** @returns undefined where the assumed webhooks of an organization have changed: nothing has been written then */
  async function writeAs({ of, assumed }: Found, tx: Tx, requests: PublishRequest[]) {
    const audienceOf = audiences(of)
    const publications: Publication[] = requests.map(({ now, fact }) => ({
      event: toEvent(fact, now),
      subscribers: audienceOf(fact),
    }))
    const before = (written.of(tx) ?? 0) + requests.length
    const [atOnce, left] = divide(publications, MOST_ROWS - before, (id) =>
      isAlone(id) ? MOST_ROWS : MOST_BESIDE,
    )
    const claimers = claimersOf(
      handover,
      atOnce.map(({ event, subscribers }) => [event.organization_id, subscribers]),
    )
    const fresh = atOnce.flatMap(({ event, subscribers }) =>
      subscribers.map((subscriber) => ({
        delivery: newDelivery(event, subscriber.id, claimers, event.created_at),
        event,
        subscriber,
      })),
    )
    const rows = {
      event: publications.map(({ event }) => event),
      delivery: fresh.map(({ delivery }) => delivery),
      fan_out: toFanOuts(left),
    }
    if (!(await insertPublished(tx, rows, assumed))) return undefined
    written.set(tx, before + fresh.length)
    noteChanges(tx, 'delivery', rows.delivery)
    afterCommit(tx, () => handOver(handover, fresh))
    if (left.length > 0) afterCommit(tx, onLeft)
    return publications.map(({ event, subscribers }) => ({ id: event.id, deliveries: subscribers.length }))
  }

  return async (tx, requests) => {
    const organizations = [...new Set(requests.map(({ fact }) => fact.organizationId))]
    for (;;) {
      const found = await subscriptions.find(tx, organizations)
      const published = await writeAs(found, tx, requests)
      if (published !== undefined) return published
      // The next try reads their webhooks in this transaction instead of the cache.
      for (const organizationId of found.assumed.organizations) subscriptions.forget(organizationId)
    }
  }
}

const insertRows = preparedListInserts(
  {
    event: {
      id: 'text',
      organization_id: 'text',
      type: 'text',
      body: 'bytes',
      hops: 'integer',
      created_at: 'integer',
      publisher: 'integer',
    },
    delivery: DELIVERY_COLUMNS,
    delivery_count: COUNT_COLUMNS,
    fan_out: {
      id: 'text',
      organization_id: 'text',
      events: 'bytes',
      webhooks: 'bytes',
      position: 'integer',
    },
  },
  areAsAssumed,
  { delivery_count: ADD_COUNTS },
)

type Rows = Omit<Parameters<typeof insertRows>[1], 'delivery_count'>

/**
 * Writes events, deliveries with their counts, and rows of the fan-out.
 * @returns false where the assumed webhooks of an organization have changed: nothing has been written then
 */
async function insertPublished(tx: Tx, rows: Rows, assumed: Assumed): Promise<boolean> {
  const counted = { ...rows, delivery_count: countsOfMade(tx, rows.delivery) }
  const isWritten = await insertRows(tx, counted, assumed.digests.length === 0 ? undefined : assumed)
  if (!isWritten) noteNothingWritten(tx)
  return isWritten
}

export function createPublish(publishAll: PublishAll): Publish {
  return async (tx, now, fact) => {
    const [published] = await publishAll(tx, [{ now, fact }])
    return published as Published
  }
}

/** Finds the subscribers of facts; facts of one type share one list. */
function audiences(all: Map<Id<'organization'>, Subscription[]>): (fact: Fact) => Subscription[] {
  const known = new Map<string, Subscription[]>()
  return ({ organizationId, type, only }) => {
    const key = `${organizationId} ${only ?? type}`
    const audience = known.get(key)
    if (audience !== undefined) return audience
    const theirs = all.get(organizationId) ?? []
    const found = only === undefined ? ofType(theirs, type) : theirs.filter(({ id }) => id === only)
    // Types without subscribers of their own share the list of the webhooks that ask for every type.
    const everyKey = `${organizationId} *`
    const every = known.get(everyKey) ?? ofType(theirs, '*')
    known.set(everyKey, every)
    known.set(key, found.length === every.length && only === undefined ? every : found)
    return known.get(key) ?? found
  }
}

function ofType(all: Subscription[], type: string): Subscription[] {
  return all.filter(({ types }) => asksFor(types, type))
}

/**
 * Divides publications: the first ones of each organization, within its share of the rows, are written at once, and the fan-out writes
 * the others.
 * @param mostOf how many rows an organization may write at most
 */
function divide(
  publications: Publication[],
  rows: number,
  mostOf: (organizationId: Id<'organization'>) => number,
): [Publication[], Publication[]] {
  const wishes = new Map<Id<'organization'>, number>()
  for (const { event, subscribers } of publications) {
    const { organization_id: who } = event
    wishes.set(who, (wishes.get(who) ?? 0) + subscribers.length)
  }
  for (const [who, wish] of wishes) wishes.set(who, Math.min(wish, mostOf(who)))
  const shares = shareRows(wishes, rows)
  const [atOnce, left]: [Publication[], Publication[]] = [[], []]
  for (const publication of publications) {
    const { event, subscribers } = publication
    const share = shares.get(event.organization_id) ?? 0
    const fits = subscribers.length <= share
    // After the first publication beyond the share, the later ones of the organization wait too, so that they keep their order.
    shares.set(event.organization_id, fits ? share - subscribers.length : 0)
    ;(fits ? atOnce : left).push(publication)
  }
  return [atOnce, left]
}

function toEvent({ organizationId, type, data, text, ...fact }: Fact, now: Millis): Tables['event'] {
  const id = newId('event', now)
  const head = JSON.stringify({ id, type, createdAt: toIso(now) }).slice(0, -1)
  // Stored once as bytes, so that every attempt sends exactly the signed bytes (specification 2: envelope).
  const body = Buffer.from(`${head},"data":${text ?? JSON.stringify(data)}}`)
  const { hops = 0, publisher = null } = fact
  return { id, organization_id: organizationId, type, body, hops, created_at: now, publisher }
}

/** Publishes in a group commit: facts that arrive during a commit share the next one, and its statements. */
export function createPublishGrouped(
  database: Pick<Database, 'tx' | 'brief' | 'shared'>,
  publishAll: PublishAll,
): PublishGrouped {
  const commits = createGroupCommit<PublishRequest, Published>({
    ...{ database, by: 'brief', write: publishAll },
    ...{ most: MOST_FACTS, atOnce: MOST_COMMITS },
  })
  return (now, fact) => {
    // The commit has no span of its own.
    const cause = fact.cause ?? currentSpan()
    return commits.add({ now, fact: cause === undefined ? fact : { ...fact, cause } })
  }
}
