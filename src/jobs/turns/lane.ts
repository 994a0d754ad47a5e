import type { Millis } from '../../core/clock.ts'
import { type Job, type Owned, STORE_RETRY } from '../job.ts'
import { type Breaker, CLOSED, type Rules } from './breaker.ts'
import { FIRST_LEVEL, FIRST_LIMIT, type Level } from './level.ts'
import { afterCall, NO_RATE, type Rate, rateHolds, withRate } from './rate.ts'

/** A lane in memory. */
export interface Lane<J extends Job = Job> {
  readonly id: J['laneId']
  readonly organizationId: J['organizationId']
  queue: J[]
  inFlight: number
  level: Level
  /** Attempts at once that it takes. */
  cap: number
  /** Attempts a second that it takes. */
  rate: Rate
  /** Whether its jobs wait for the rate: such jobs are not late. */
  isPaced: boolean
  breaker: Breaker
  /** When the store last failed to prepare an attempt of it. */
  stalledAt: Millis | undefined
}

/** @param level its last level, where that is remembered */
export function createLane<J extends Job>(
  { laneId, organizationId }: Owned<J>,
  level: Level = FIRST_LEVEL,
): Lane<J> {
  return {
    id: laneId,
    organizationId,
    queue: [],
    inFlight: 0,
    level,
    cap: FIRST_LIMIT,
    rate: NO_RATE,
    isPaced: false,
    breaker: CLOSED,
    stalledAt: undefined,
  }
}

/**
 * How many more of its jobs it may attempt now.
 * @param part attempts at once that this worker may make of it
 */
export function ready({ queue, inFlight, breaker, level }: Lane, part: number, { isParked }: Rules): number {
  const most = Math.min(isParked(breaker) ? 1 : Math.floor(level.limit), part)
  return Math.max(0, Math.min(queue.length, most - inFlight))
}

/** Until when its first job waits for the store or for a pause; undefined when it may begin now. */
export function waitsUntil(lane: Lane, { heldUntil }: Rules, now: Millis): Millis | undefined {
  const { stalledAt } = lane
  // After the clock was set back, a moment of the later time would hold the lane too long.
  if (stalledAt !== undefined && stalledAt <= now && now < stalledAt + STORE_RETRY)
    return stalledAt + STORE_RETRY
  const [first] = lane.queue
  return first === undefined || first.isUrgent === true ? undefined : heldUntil(lane.breaker, first, now)
}

/** Until when its first job waits for the rate of the lane; undefined when it may begin now. */
export function pacedUntil(lane: Lane, now: Millis): Millis | undefined {
  return rateHolds(lane.rate, now)
}

/** Sets what the lane takes, as its jobs carry it. */
export function setTerms(lane: Lane, { cap, perSecond }: Partial<Pick<Job, 'cap' | 'perSecond'>>): void {
  lane.cap = cap ?? lane.cap
  if (perSecond !== undefined) lane.rate = withRate(lane.rate, perSecond)
}

/** Puts a job behind all others. */
export function push<J extends Job>(lane: Lane<J>, job: J): void {
  setTerms(lane, job)
  lane.queue.push(job)
}

/** How many jobs at the head of the queue are urgent. */
function urgent({ queue }: Lane): number {
  const others = queue.findIndex(({ isUrgent }) => isUrgent !== true)
  return others === -1 ? queue.length : others
}

/** Queues an urgent job behind the other urgent ones, before all others. */
export function pushUrgent<J extends Job>(lane: Lane<J>, job: J): void {
  setTerms(lane, job)
  insertUrgent(lane, job)
}

/** Makes a queued job urgent. */
export function makeUrgent(lane: Lane, id: string): void {
  const job = lane.queue.find((one) => one.id === id)
  if (job === undefined || job.isUrgent === true) return
  lane.queue.splice(lane.queue.indexOf(job), 1)
  insertUrgent(lane, job)
}

function insertUrgent<J extends Job>(lane: Lane<J>, job: J): void {
  job.isUrgent = true
  lane.queue.splice(urgent(lane), 0, job)
}

/** Takes out the first job to attempt it. */
export function shift<J extends Job>(lane: Lane<J>, now: Millis): J | undefined {
  const job = lane.queue.shift()
  if (job === undefined) return undefined
  lane.inFlight += 1
  lane.rate = afterCall(lane.rate, now)
  // It waited for the destination's own rate, so it is not late.
  if (lane.isPaced) job.dueAt = Math.max(job.dueAt, now)
  if (lane.queue.length === 0) lane.isPaced = false
  return job
}

/** Puts back a job that could not be attempted: first, or first behind the urgent jobs. */
export function unshift<J extends Job>(lane: Lane<J>, job: J, now: Millis): void {
  lane.inFlight -= 1
  lane.stalledAt = now
  lane.queue.splice(job.isUrgent === true ? 0 : urgent(lane), 0, job)
}

/** Takes out all jobs but the first and the urgent ones. */
export function unload<J extends Job>(lane: Lane<J>): J[] {
  return lane.queue.splice(Math.max(1, urgent(lane)))
}

/** Takes out all jobs. */
export function empty<J extends Job>(lane: Lane<J>): J[] {
  return lane.queue.splice(0)
}

/** Forgets its failures. */
export function unlearn(lane: Lane): void {
  lane.breaker = CLOSED
  lane.stalledAt = undefined
}

/** Whether it may be removed: its level is remembered (`lane-memory.ts`), and its rate holds no call. */
export function isIdle({ breaker, rate, inFlight, queue }: Lane, now: Millis): boolean {
  return breaker === CLOSED && rateHolds(rate, now) === undefined && inFlight === 0 && queue.length === 0
}

/** Takes some of its jobs out. @returns them */
export function drop<J extends Job>(lane: Lane<J>, ids: Set<J['id']>): J[] {
  const dropped = lane.queue.filter(({ id }) => ids.has(id))
  lane.queue = lane.queue.filter(({ id }) => !ids.has(id))
  return dropped
}
