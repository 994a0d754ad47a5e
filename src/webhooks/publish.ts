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
  accept(fresh: { job: Job; claimer: string }[], unclaimed: Id<'webhook'>[]): void
}

/** For a process that sends nothing itself: its deliveries wait in the table for one that does. */
export const NO_HANDOVER: Handover = { claimFor: () => undefined, accept: () => {} }

const insertEvents = preparedInsert('event', ['id', 'organization_id', 'type', 'body', 'created_at'])

/** Event row and delivery rows, written together; the queue is the delivery table (design: the delivery, 1 and 2). */
export function createPublish(handover: Handover, subscriptions: Subscriptions): Publish {
  return async (tx, now, { organizationId, type, data, only }) => {
    const id = newId('event', now)
    // Stored once as bytes: what is signed is what is sent, on every attempt (spec 2: envelope).
    const body = Buffer.from(JSON.stringify({ id, type, createdAt: toIso(now), data }))
    await insertEvents(tx, [{ id, organization_id: organizationId, type, body, created_at: now }])
    const subscribers = await subscriptions.find(tx, organizationId, type, only)
    if (subscribers.length === 0) return { id, deliveries: 0 }
    const deliveries = subscribers.map(({ id: webhookId, status }): Tables['delivery'] => {
      const isActive = status === 'active'
      return {
        id: newId('delivery', now),
        organization_id: organizationId,
        webhook_id: webhookId,
        event_id: id,
        event_type: type,
        status: 'pending',
        reason: null,
        attempts: 0,
        due_at: now,
        horizon_at: now + HORIZON,
        claim_id: isActive ? (handover.claimFor(webhookId) ?? null) : null,
        created_at: now,
        updated_at: now,
      }
    })
    await insertDeliveries(tx, deliveries)
    afterCommit(tx, () => handOver(handover, deliveries, body, subscribers))
    return { id, deliveries: deliveries.length }
  }
}

/** Gives committed deliveries to the engine: those born claimed as they are, of the others only that they are due. */
function handOver(
  handover: Handover,
  deliveries: Tables['delivery'][],
  body: Uint8Array,
  subscribers: Subscription[],
): void {
  const claimed: { job: Job; claimer: string }[] = []
  const unclaimed: Id<'webhook'>[] = []
  for (const [index, delivery] of deliveries.entries()) {
    const claimer = delivery.claim_id
    if (claimer !== null)
      claimed.push({ job: toJob(delivery, body, subscribers[index]?.maxInFlight ?? 1), claimer })
    // What is held is noticed when its webhook is active again.
    else if (subscribers[index]?.status === 'active') unclaimed.push(delivery.webhook_id)
  }
  handover.accept(claimed, unclaimed)
}
