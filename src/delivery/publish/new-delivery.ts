import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { Handover } from '../../jobs/worker/worker.ts'
import { type DeliveryJob, toJob } from '../attempt/delivery-job.ts'
import { newDeliveryRow } from '../queue/delivery-row.ts'
import type { Subscription } from './subscriptions.ts'

/** How new deliveries reach the worker of this process: claimed as they are written, and handed over after the commit. */
export interface DeliveryHandover extends Handover<DeliveryJob> {
  /** Deliveries of a webhook wait for a client that fetches them, in this process or another. */
  wakeListeners(webhookId: Id<'webhook'>): void
}

type Terms = Pick<Subscription, 'status' | 'maxInFlight' | 'maxPerSecond' | 'isListener'>

/** A new delivery row, and the further data for its sending. */
export interface Fresh {
  delivery: Tables['delivery']
  event: Pick<Tables['event'], 'body' | 'hops'>
  subscriber: Terms
}

/** The workers that claim the new deliveries of each webhook; deliveries of other webhooks wait in the table. */
type Claimers = ReadonlyMap<Id<'webhook'>, string>

/**
 * Asks the worker, once for each webhook and before any row is built, whether it sends the next deliveries without a claim.
 * @param pairs an organization, and webhooks of it
 */
export function claimersOf(
  { claimFor }: Pick<DeliveryHandover, 'claimFor'>,
  pairs: Iterable<[Id<'organization'>, Iterable<Terms & Pick<Subscription, 'id'>>]>,
): Claimers {
  const claimers = new Map<Id<'webhook'>, string>()
  const asked = new Set<Id<'webhook'>>()
  for (const [organizationId, webhooks] of pairs)
    for (const { id: laneId, status, maxInFlight: cap, maxPerSecond: perSecond } of webhooks) {
      if (status !== 'active' || asked.has(laneId)) continue
      asked.add(laneId)
      const claimer = claimFor({ laneId, organizationId, cap, perSecond })
      if (claimer !== undefined) claimers.set(laneId, claimer)
    }
  return claimers
}

/**
 * A new delivery of an event, due at the event's moment, or at `now` where a wrong clock has put that moment ahead.
 * @param claimers the workers that claim it at its insertion
 */
export function newDelivery(
  event: Omit<Tables['event'], 'body' | 'publisher'>,
  webhookId: Id<'webhook'>,
  claimers: Claimers,
  now: Millis,
): Tables['delivery'] {
  return newDeliveryRow(
    {
      organization_id: event.organization_id,
      webhook_id: webhookId,
      event_id: event.id,
      event_type: event.type,
      sample: 0,
    },
    now,
    { dueAt: Math.min(event.created_at, now), claimer: claimers.get(webhookId) },
  )
}

/** Gives committed deliveries to the worker: the claimed ones as jobs, the others as webhooks with something due. */
export function handOver(handover: Pick<DeliveryHandover, 'accept' | 'wakeListeners'>, fresh: Fresh[]): void {
  const claimed: { job: DeliveryJob; claimer: string }[] = []
  const unclaimed = new Set<Id<'webhook'>>()
  const fetched = new Set<Id<'webhook'>>()
  for (const { delivery, event, subscriber } of fresh) {
    const claimer = delivery.claim_id
    if (claimer !== null) claimed.push({ job: jobOf({ delivery, event, subscriber }), claimer })
    // A delivery of a paused webhook is found when the webhook is active again.
    else if (subscriber.status === 'active') unclaimed.add(delivery.webhook_id)
    else if (subscriber.isListener) fetched.add(delivery.webhook_id)
  }
  for (const webhookId of fetched) handover.wakeListeners(webhookId)
  handover.accept(claimed, unclaimed)
}

function jobOf({ delivery, event: { body, hops }, subscriber }: Fresh): DeliveryJob {
  const { maxInFlight: cap, maxPerSecond: perSecond } = subscriber
  return toJob(delivery, { horizon: delivery.horizon_at, cap, perSecond, hops, bytes: body.length, body })
}
