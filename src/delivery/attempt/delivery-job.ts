import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Job, Settlement } from '../../jobs/job.ts'
import type { Attempted } from './attempt-row.ts'

/** A claimed delivery, with what an attempt needs; it takes its turn with those of its webhook. */
export interface DeliveryJob extends Job {
  id: Id<'delivery'>
  laneId: Id<'webhook'>
  eventId: Id<'event'>
  /** How many webhooks the event has come through already. */
  hops: number
}

/** What an attempt changes about its delivery. */
export interface DeliverySettlement extends Settlement<DeliveryJob> {
  /** The attempt to record; null when none was made because it was too late for one. */
  attempt: Attempted | null
  status: 'delivered' | 'pending' | 'failed'
  reason: string | null
  /** The last moment at which an attempt may start, where that has changed. */
  horizon: Millis | null
  /** Set when the destination said that it is gone for good. */
  disables: boolean
}
