import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Job } from '../store/job.ts'
import { STORE_RETRY } from '../store/job.ts'
import { type Breaker, CLOSED, type Rules } from './breaker.ts'
import { FIRST_LEVEL, isAsAtFirst, type Level } from './level.ts'

/** What one webhook has in memory. */
export interface Lane {
  readonly webhookId: Id<'webhook'>
  readonly organizationId: Id<'organization'>
  queue: Job[]
  /** How many of the queue, from its head, a person asked for: they wait for no pause. */
  urgent: number
  inFlight: number
  level: Level
  /** Attempts at once that its webhook takes. */
  cap: number
  breaker: Breaker
  /** When the store last could not say where its deliveries go. */
  stalledAt: Millis | undefined
}

export function createLane({ webhookId, organizationId }: Pick<Lane, 'webhookId' | 'organizationId'>): Lane {
  return {
    webhookId,
    organizationId,
    queue: [],
    urgent: 0,
    inFlight: 0,
    level: FIRST_LEVEL,
    cap: FIRST_LEVEL,
    breaker: CLOSED,
    stalledAt: undefined,
  }
}

/** Whether it has a delivery, and may make one more attempt at once. */
export function hasWork(lane: Lane, { isParked }: Rules): boolean {
  return lane.queue.length > 0 && lane.inFlight < Math.min(isParked(lane.breaker) ? 1 : lane.level, lane.cap)
}

/** Until when its first delivery must wait: for the store, or for the end of a pause; undefined when it may go now. */
export function waitsUntil(lane: Lane, { heldUntil }: Rules, now: Millis): Millis | undefined {
  const { stalledAt } = lane
  // A clock that was set back would hold it for as long.
  if (stalledAt !== undefined && stalledAt <= now && now < stalledAt + STORE_RETRY)
    return stalledAt + STORE_RETRY
  const [first] = lane.queue
  return first === undefined || lane.urgent > 0 ? undefined : heldUntil(lane.breaker, first, now)
}

/** Puts a delivery behind all others. */
export function push(lane: Lane, job: Job): void {
  lane.cap = job.maxInFlight
  lane.queue.push(job)
}

/** Puts a delivery that a person asked for before all others but those that were asked for earlier. */
export function pushUrgent(lane: Lane, job: Job): void {
  lane.cap = job.maxInFlight
  lane.queue.splice(lane.urgent, 0, job)
  lane.urgent += 1
}

/** Moves a delivery that waits in the lane to where `pushUrgent` puts one. */
export function makeUrgent(lane: Lane, id: Id<'delivery'>): void {
  const index = lane.queue.findIndex((job) => job.id === id)
  if (index < lane.urgent) return
  lane.queue.splice(lane.urgent, 0, ...lane.queue.splice(index, 1))
  lane.urgent += 1
}

/** Takes the first delivery out, to be attempted. */
export function shift(lane: Lane): Job | undefined {
  const job = lane.queue.shift()
  if (job === undefined) return undefined
  lane.urgent = Math.max(0, lane.urgent - 1)
  lane.inFlight += 1
  return job
}

/** Puts a delivery that could not be attempted back to where it was. */
export function unshift(lane: Lane, job: Job, now: Millis): void {
  lane.inFlight -= 1
  lane.stalledAt = now
  lane.queue.unshift(job)
  if (lane.urgent > 0) lane.urgent += 1
}

/** Takes out all but the first and what was asked for. */
export function unload(lane: Lane): Job[] {
  return lane.queue.splice(Math.max(1, lane.urgent))
}

/** Takes out everything. */
export function empty(lane: Lane): Job[] {
  lane.urgent = 0
  return lane.queue.splice(0)
}

/** Whether it may be forgotten: sooner, one that has just begun to widen again would begin with a whole level. */
export function isIdle({ breaker, level, cap, inFlight, queue }: Lane): boolean {
  return breaker === CLOSED && isAsAtFirst(level, cap) && inFlight === 0 && queue.length === 0
}

/** Takes some of its deliveries out of it. @returns those */
export function drop(lane: Lane, ids: Set<Id<'delivery'>>): Job[] {
  const dropped = lane.queue.filter(({ id }) => ids.has(id))
  lane.urgent -= lane.queue.slice(0, lane.urgent).filter(({ id }) => ids.has(id)).length
  lane.queue = lane.queue.filter(({ id }) => !ids.has(id))
  return dropped
}
