import { type Millis, toIso } from '../core/clock.ts'
import { type Id, newId } from '../core/id.ts'
import { afterCommit, type Tx } from '../db/database.ts'
import { preparedInsert } from '../db/prepared.ts'
import type { Tables } from '../db/tables.ts'
import { insertDeliveries } from './again.ts'
import { type Job, toJob } from './deliveries.ts'
import { HORIZON } from './retry.ts'
import type { Subscription, Subscriptions } from './subscriptions.ts'

/** Something that happened, as its publisher tells it; `data` never holds a secret. */
export interface Fact {
  organizationId: Id<'organization'>
  type: string
  data: object
  /** The one webhook that it is for, whatever it asks for; without it, all that ask for the type. */
  only?: Id<'webhook'>
  /** How many webhooks it has come through already; none unless said. */
  hops?: number
}

export interface Published {
  id: Id<'event'>
  /** How many webhooks it is on its way to, those that are paused included. */
  deliveries: number
}

/**
 * The one door through which an event comes to be. It asks for the transaction of the fact that it reports,
 * so that both are there or neither.
 */
export type Publish = (tx: Tx, now: Millis, fact: Fact) => Promise<Published>

/** What the engine that sends offers to the door through which deliveries come. */
export interface Handover {
  /**
   * The worker under whose claim a new delivery to a webhook is born, so that this process sends it without
   * asking the table; undefined where it has no room and the delivery waits in the table.
   */
  claimFor(webhookId: Id<'webhook'>): string | undefined
  /** Takes over deliveries that have been committed. */
  accept(fresh: { job: Job; claimer: string }[], unclaimed: Iterable<Id<'webhook'>>): void
}

/** For a process that sends nothing itself: its deliveries wait in the table for one that does. */
export const NO_HANDOVER: Handover = { claimFor: () => undefined, accept: () => {} }

const insertEvents = preparedInsert('event', ['id', 'organization_id', 'type', 'body', 'hops', 'created_at'])

/** A fact and the moment at which it was told. */
export interface Told {
  now: Millis
  fact: Fact
}

/** As `Publish`, for facts that commit together; answers in their order. */
export type PublishAll = (tx: Tx, told: Told[]) => Promise<Published[]>

/** An event with its deliveries, as they are written. */
interface Publication {
  event: Tables['event']
  deliveries: Tables['delivery'][]
  subscribers: Subscription[]
}

/** Event rows and delivery rows, written together; the queue is the delivery table (design: the delivery, 1 and 2). */
export function createPublishAll(handover: Handover, subscriptions: Subscriptions): PublishAll {
  return async (tx, told) => {
    const publications: Publication[] = []
    const webhooks = new Map<Id<'organization'>, Subscription[]>()
    for (const { now, fact } of told) {
      const { organizationId } = fact
      const theirs = webhooks.get(organizationId) ?? (await subscriptions.find(tx, organizationId))
      webhooks.set(organizationId, theirs)
      const subscribers = theirs.filter((webhook) => isFor(fact, webhook))
      const event = toEvent(fact, now)
      publications.push({ event, subscribers, deliveries: toDeliveries(event, subscribers, handover) })
    }
    await insertEvents(
      tx,
      publications.map(({ event }) => event),
    )
    await insertDeliveries(
      tx,
      publications.flatMap(({ deliveries }) => deliveries),
    )
    afterCommit(tx, () => handOver(handover, publications))
    return publications.map(({ event, deliveries }) => ({ id: event.id, deliveries: deliveries.length }))
  }
}

export function createPublish(publishAll: PublishAll): Publish {
  return async (tx, now, fact) => {
    const [published] = await publishAll(tx, [{ now, fact }])
    return published as Published
  }
}

function isFor({ type, only }: Fact, { id, types }: Subscription): boolean {
  return only === undefined ? types.has(type) || types.has('*') : id === only
}

function toEvent({ organizationId, type, data, hops = 0 }: Fact, now: Millis): Tables['event'] {
  const id = newId('event', now)
  // Stored once as bytes: what is signed is what is sent, on every attempt (spec 2: envelope).
  const body = Buffer.from(JSON.stringify({ id, type, createdAt: toIso(now), data }))
  return { id, organization_id: organizationId, type, body, hops, created_at: now }
}

function toDeliveries(
  event: Tables['event'],
  subscribers: Subscription[],
  handover: Handover,
): Tables['delivery'][] {
  const now = event.created_at
  return subscribers.map(({ id: webhookId, status }) => ({
    id: newId('delivery', now),
    organization_id: event.organization_id,
    webhook_id: webhookId,
    event_id: event.id,
    event_type: event.type,
    status: 'pending',
    reason: null,
    attempts: 0,
    due_at: now,
    horizon_at: now + HORIZON,
    claim_id: status === 'active' ? (handover.claimFor(webhookId) ?? null) : null,
    created_at: now,
    updated_at: now,
  }))
}

/** Gives committed deliveries to the engine: those born claimed as they are, of the others only that they are due. */
function handOver(handover: Handover, publications: Publication[]): void {
  const claimed: { job: Job; claimer: string }[] = []
  const unclaimed = new Set<Id<'webhook'>>()
  for (const { event, deliveries, subscribers } of publications) {
    for (const [index, delivery] of deliveries.entries()) {
      const claimer = delivery.claim_id
      if (claimer !== null)
        claimed.push({ job: toJob(delivery, event, subscribers[index]?.maxInFlight ?? 1), claimer })
      // What is held is noticed when its webhook is active again.
      else if (subscribers[index]?.status === 'active') unclaimed.add(delivery.webhook_id)
    }
  }
  handover.accept(claimed, unclaimed)
}
