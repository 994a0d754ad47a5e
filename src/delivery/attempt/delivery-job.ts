import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { Job, Settlement } from '../../jobs/job.ts'
import type { Attempted } from './attempt-row.ts'
import { horizonOf } from './schedule.ts'

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

/** Columns of a delivery that its job takes from the row. */
type Row = Pick<Tables['delivery'], 'id' | 'webhook_id' | 'organization_id' | 'event_id' | 'attempts'> & {
  due_at: Millis | null
}
/** What else the job of a delivery needs, of its event and its webhook. */
type Rest = Pick<DeliveryJob, 'horizon' | 'cap' | 'perSecond' | 'hops' | 'bytes' | 'body'>

/** The job of a pending delivery. */
export function toJob(row: Row, rest: Rest): DeliveryJob {
  return {
    ...rest,
    id: row.id,
    laneId: row.webhook_id,
    organizationId: row.organization_id,
    eventId: row.event_id,
    attempts: row.attempts,
    dueAt: row.due_at as Millis,
  }
}

/** A claimed delivery, as the claiming statement returns it. */
export interface ClaimedRow extends Row {
  horizon_at: Millis
  bytes: number
  hops: number
  max_in_flight: number
  max_per_second: number | null
  resumed_at: Millis | null
  /** In the first row of each event, where the statement reads it; a larger body is read before the attempt. */
  body?: Uint8Array | null
}

/** The jobs of claimed deliveries, the longest due first. */
export function toJobs(rows: ClaimedRow[]): DeliveryJob[] {
  const bodies = new Map(rows.flatMap(({ event_id, body }) => (body ? [[event_id, body] as const] : [])))
  return rows
    .map((row) =>
      toJob(row, {
        horizon: horizonOf({ horizon: row.horizon_at, resumedAt: row.resumed_at }),
        ...{ cap: row.max_in_flight, perSecond: row.max_per_second },
        ...{ hops: row.hops, bytes: row.bytes, body: bodies.get(row.event_id) },
      }),
    )
    .sort((a, b) => a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1))
}
