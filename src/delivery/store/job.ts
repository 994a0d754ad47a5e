import { type Millis, SECOND } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { Attempted } from '../attempt/attempt-row.ts'
import type { ActiveTarget } from '../attempt/targets.ts'
import type { ReplayStep } from './replay-step.ts'

type Delivery = Tables['delivery']
type Sendable = Pick<Tables['event'], 'body' | 'hops'>

/** After a failure of our own store the results wait this long, in memory. */
export const STORE_RETRY: Millis = SECOND

/** A claimed delivery, with what an attempt needs. */
export interface Job {
  id: Id<'delivery'>
  webhookId: Id<'webhook'>
  organizationId: Id<'organization'>
  eventId: Id<'event'>
  /** Attempts made before. */
  attempts: number
  dueAt: Millis
  horizon: Millis
  /** Attempts at once that the webhook takes. */
  maxInFlight: number
  /** How many bytes the event's body has. */
  bytes: number
  /** The body; undefined where it stays in the table until the attempt. */
  body: Uint8Array | undefined
  /** How many webhooks the event has come through already. */
  hops: number
}

/** What an attempt changes about its delivery. */
export interface Settlement {
  job: Job
  /** The attempt to record; null when none was made because it was too late for one. */
  attempt: Attempted | null
  status: 'delivered' | 'pending' | 'failed'
  reason: string | null
  /** When the next attempt is due; null unless `pending`. */
  dueAt: Millis | null
  /** Set when the destination said that it is gone for good. */
  disables: boolean
}

/** When the next delivery of an active webhook that nobody has claimed is due. */
export interface Due {
  webhookId: Id<'webhook'>
  organizationId: Id<'organization'>
  dueAt: Millis
}

/** Those of some webhooks, one after the other. */
export interface DuePage {
  due: Due[]
  /** The webhook to go on after; undefined when there are no more. */
  after: Id<'webhook'> | undefined
}

/** How many of the due deliveries of a webhook are to be claimed, and which. */
export interface Want {
  webhookId: Id<'webhook'>
  limit: number
  /** Who comes first: the longest due; or who is best to try a parked lane with. */
  order?: 'due' | 'probe'
}

/**
 * What the delivery engine asks of its store; the delivery table is the queue. Every statement is guarded by
 * what must still be true: a claim by nobody having one, a settlement by the claim.
 */
export interface DeliveryStore {
  /** Declares a new worker, alive until a moment; its claims are freed when that has passed. */
  join(workerId: string, aliveUntil: Millis): Promise<void>
  /**
   * Takes what a clock that was ahead has written for written now: what waits for a moment of it is due, and a worker's
   * sign of life came now, so that it holds until `aliveUntil` and no longer.
   */
  correct(now: Millis, aliveUntil: Millis): Promise<void>
  /** Moves that moment on. @returns false when it has passed already, and the claims may be another's */
  keepAlive(workerId: string, aliveUntil: Millis, now: Millis): Promise<boolean>
  /** Frees the claims of workers that are not alive any more; of all others where there can be no other. */
  freeDead(workerId: string, now: Millis): Promise<void>
  /** Gives up a worker's claims and its name. */
  leave(workerId: string): Promise<void>
  /** For some active webhooks with an unclaimed delivery, when the first is due. Costs one seek a webhook. */
  nextDue(after: Id<'webhook'> | undefined): Promise<DuePage>
  /** The same for these webhooks. */
  dueOf(webhooks: Id<'webhook'>[]): Promise<Due[]>
  /** Claims due deliveries that nobody has claimed, of many webhooks at once. */
  claim(workerId: string, wants: Want[], now: Millis): Promise<Job[]>
  /** Claims these, as far as they are due and nobody has claimed them. */
  claimNamed(workerId: string, ids: Id<'delivery'>[], now: Millis): Promise<Job[]>
  /** Where a webhook's deliveries go now; undefined when it is gone or not active. */
  findTarget(webhookId: Id<'webhook'>, now: Millis): Promise<ActiveTarget | undefined>
  /** The body of an event; undefined when it is gone. */
  findBody(eventId: Id<'event'>): Promise<Uint8Array | undefined>
  /** Gives claimed deliveries back unsent. */
  release(workerId: string, jobs: Pick<Job, 'id'>[]): Promise<void>
  /** Every delivery that a worker has claimed. */
  claimedBy(workerId: string): Promise<Id<'delivery'>[]>
  /** Makes some more of the deliveries that replays ask for. */
  stepReplays(now: Millis): Promise<ReplayStep>
  /** Records attempts and what came of them, those whose claim still holds, in one transaction. */
  settle(workerId: string, settlements: Settlement[], now: Millis): Promise<void>
}

/** A delivery of the table as an attempt needs it. */
export function toJob(delivery: Delivery, { body, hops }: Sendable, maxInFlight: number): Job {
  return {
    id: delivery.id,
    webhookId: delivery.webhook_id,
    organizationId: delivery.organization_id,
    eventId: delivery.event_id,
    attempts: delivery.attempts,
    dueAt: delivery.due_at ?? delivery.created_at,
    horizon: delivery.horizon_at,
    maxInFlight,
    bytes: body.length,
    body,
    hops,
  }
}
