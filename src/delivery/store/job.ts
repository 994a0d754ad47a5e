import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { JobStore, OwnershipStore } from '../../jobs/job-store.ts'
import type { LaneStore } from '../../jobs/lanes/lane-states.ts'
import type { DeliveryJob, DeliverySettlement } from '../attempt/delivery-job.ts'
import { type ActiveTarget, horizonFloor } from '../attempt/targets.ts'
import type { ReplayStep } from './replay-step.ts'

type Delivery = Tables['delivery']
type Sendable = Pick<Tables['event'], 'body' | 'hops'>

/** What sending deliveries asks of their store beside what every kind of job does. */
export interface DeliveryStore extends JobStore<DeliveryJob, DeliverySettlement> {
  readonly ownership: OwnershipStore
  /** Where a webhook's deliveries go now; undefined when it is gone or not active. */
  findTarget(webhookId: Id<'webhook'>, now: Millis): Promise<ActiveTarget | undefined>
  /** The body of an event; undefined when it is gone. */
  findBody(eventId: Id<'event'>): Promise<Uint8Array | undefined>
  /** What is known of webhooks beyond the life of a worker. */
  lanes: LaneStore<DeliveryJob>
  /** Makes some more of the deliveries that replays ask for. */
  stepReplays(now: Millis): Promise<ReplayStep>
}

/** What a webhook takes at once, and a second. */
interface Terms {
  maxInFlight: number
  maxPerSecond: number | null
}

/** A delivery of the table as an attempt needs it. */
export function toJob(delivery: Delivery, { body, hops }: Sendable, terms: Terms): DeliveryJob {
  return {
    id: delivery.id,
    laneId: delivery.webhook_id,
    organizationId: delivery.organization_id,
    eventId: delivery.event_id,
    attempts: delivery.attempts,
    dueAt: delivery.due_at ?? delivery.created_at,
    horizon: delivery.horizon_at,
    cap: terms.maxInFlight,
    perSecond: terms.maxPerSecond,
    bytes: body.length,
    body,
    hops,
  }
}

/** A claimed row; a larger body of its event stays where it is until the attempt. */
export interface ClaimedRow {
  id: Id<'delivery'>
  webhook_id: Id<'webhook'>
  organization_id: Id<'organization'>
  event_id: Id<'event'>
  attempts: number
  due_at: Millis
  horizon_at: Millis
  bytes: number
  hops: number
  max_in_flight: number
  max_per_second: number | null
  resumed_at: Millis | null
  /** Of the first row of each event, where it comes along. */
  body?: Uint8Array | null
}

/** Claimed deliveries as attempts need them, in the order in which they became due. */
export function toJobs(rows: ClaimedRow[]): DeliveryJob[] {
  const bodies = new Map(rows.flatMap(({ event_id, body }) => (body ? [[event_id, body] as const] : [])))
  return rows
    .map((row) => ({
      id: row.id,
      laneId: row.webhook_id,
      organizationId: row.organization_id,
      eventId: row.event_id,
      attempts: row.attempts,
      dueAt: row.due_at,
      horizon: Math.max(row.horizon_at, horizonFloor(row.resumed_at)),
      cap: row.max_in_flight,
      perSecond: row.max_per_second,
      hops: row.hops,
      bytes: row.bytes,
      body: bodies.get(row.event_id),
    }))
    .sort((a, b) => a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1))
}
