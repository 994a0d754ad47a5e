import type { Millis } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import { afterAttempt, type Breaker, CLOSED, RULES, withoutPause } from './breaker.ts'
import type { Job } from './deliveries.ts'
import { STORE_RETRY } from './settling.ts'

/** Deliveries that one lane holds in memory; the rest of its backlog stays in the table. */
export const LANE_LENGTH = 200
/** A lane takes more from the table when it is down to this, so that one claim fetches many. */
const REFILL_AT = LANE_LENGTH / 2
/** What all lanes together hold in memory; beyond it each may still hold one. */
const MOST_JOBS = 10_000
const MOST_BYTES = 64 * 1024 * 1024

/** Attempts at once with which a lane begins. */
const FIRST_WINDOW = 4

/** Attempts under way at once in one process, over all lanes. */
export const MOST_IN_FLIGHT = 1_000
/**
 * Of these, the share of lanes whose destination has not shown itself well of late: black holes hold each attempt for
 * half a minute, and there may be hundreds.
 */
export const MOST_ON_TRIAL = MOST_IN_FLIGHT / 2
/** Webhooks of which it is remembered that they were well. */
const MOST_PROVEN = 10_000

interface Lane {
  queue: Job[]
  /** How many of the queue, from its head, a person asked for: they wait for no pause. */
  urgent: number
  inFlight: number
  /** Attempts at once that it has earned: one more for each success, half as many after a failure. */
  window: number
  /** Attempts at once that its webhook takes. */
  cap: number
  breaker: Breaker
  /** When the store last could not say where its deliveries go. */
  stalledAt: Millis | undefined
  /** Whether it stands in the ring. */
  isListed: boolean
}

/** What came of a delivery that was in flight. */
export interface Ending {
  /** undefined: nothing was learnt of the destination. */
  isWell: boolean | undefined
  /** Whether the delivery waits for another attempt. */
  goesOn: boolean
  /** Attempts at once that the webhook takes; undefined: as before. */
  cap?: number
}

/**
 * What this worker has in hand: one lane a webhook, fair turns between them. A lane whose destination fails
 * shrinks to one attempt at a time and is parked when that goes on (`breaker.ts`): it holds one delivery, the next to
 * try with, and takes neither turns nor memory from the others. A success opens it again, and each one more widens it.
 */
export interface Lanes {
  /** Whether a new delivery to a webhook may be taken into memory. */
  hasRoom(webhookId: Id<'webhook'>): boolean
  /** How many deliveries to fetch from the table; 0 while the lane has enough. */
  wanted(webhookId: Id<'webhook'>): number
  isParked(webhookId: Id<'webhook'>): boolean
  add(job: Job, now: Millis): void
  /** As `add`, for one that a person asked for: before all others, and without a pause. */
  addFirst(job: Job, now: Millis): void
  /** The next delivery to attempt, by fair turns, as long as there is room; it counts as in flight until `done` or `stall`. */
  next(now: Millis): Job | undefined
  /** An attempt has ended. */
  done(job: Job, ending: Ending, now: Millis): void
  /** It was not attempted, for the store could not say where it goes: its lane waits a moment with it. */
  stall(job: Job, now: Millis): void
  /** What a parked lane has in memory beyond the one that it tries next with and what was asked for; it is in the lane no more. */
  unload(webhookId: Id<'webhook'>): Job[]
  /** Lets one delivery go before all others where it is in memory; without one, ends a pause. */
  hurry(webhookId: Id<'webhook'>, first: Id<'delivery'> | undefined, now: Millis): void
  /** Lanes that were held until a moment that has come go on. */
  wake(now: Millis, webhooks?: Id<'webhook'>[]): void
  /** Empties all lanes; what is in flight stays counted. @returns what was in them */
  clear(): Job[]
  readonly inFlight: number
  /** When the delivery that waits longest in memory was due; what is held on purpose is not late. */
  oldestDue(): Millis | undefined
}

/** @param onHeld is told that a lane may do nothing until a moment, when it must be woken */
export function createLanes(
  onHeld: (webhookId: Id<'webhook'>, until: Millis) => void,
  { isParked, heldUntil } = RULES,
): Lanes {
  const lanes = new Map<Id<'webhook'>, Lane>()
  /** Lanes that have work and may do it, in the order of their turns; those on trial have turns of their own. */
  const rings: { proven: Lane[]; trial: Lane[] } = { proven: [], trial: [] }
  /** Webhooks whose last attempt was well. */
  const proven = new Set<Id<'webhook'>>()
  /** Attempts under way of all others. */
  const onTrial = new Set<Job>()
  let isTrialsTurn = false
  let jobs = 0
  let bytes = 0
  let inFlight = 0

  function laneOf(webhookId: Id<'webhook'>): Lane {
    const known = lanes.get(webhookId)
    if (known !== undefined) return known
    const lane: Lane = {
      queue: [],
      urgent: 0,
      inFlight: 0,
      window: FIRST_WINDOW,
      cap: FIRST_WINDOW,
      breaker: CLOSED,
      stalledAt: undefined,
      isListed: false,
    }
    lanes.set(webhookId, lane)
    return lane
  }

  function mayGo(lane: Lane, now: Millis): boolean {
    const [first] = lane.queue
    if (first === undefined) return false
    if (lane.inFlight >= Math.min(isParked(lane.breaker) ? 1 : lane.window, lane.cap)) return false
    const pause = lane.urgent > 0 ? undefined : heldUntil(lane.breaker, first, now)
    const until = stalledUntil(lane, now) ?? pause
    if (until !== undefined) onHeld(first.webhookId, until)
    return until === undefined
  }

  function list(lane: Lane, now: Millis): void {
    if (lane.isListed || !mayGo(lane, now)) return
    lane.isListed = true
    const ring = proven.has(lane.queue[0]?.webhookId as Id<'webhook'>) ? rings.proven : rings.trial
    ring.push(lane)
  }

  /** The lane whose turn it is: one that is proven and one that is on trial in turn, as long as there is room for trials. */
  function nextListed(): Lane | undefined {
    if (inFlight >= MOST_IN_FLIGHT) return undefined
    const mayTry = onTrial.size < MOST_ON_TRIAL
    isTrialsTurn = !isTrialsTurn
    const lane = (mayTry && isTrialsTurn ? rings.trial.shift() : undefined) ?? rings.proven.shift()
    return lane ?? (mayTry ? rings.trial.shift() : undefined)
  }

  function remember(webhookId: Id<'webhook'>, lane: Lane, isWell: boolean): void {
    if (!isWell) return void proven.delete(webhookId)
    if (proven.has(webhookId) || proven.size >= MOST_PROVEN) return
    proven.add(webhookId)
    // Where it stands it might wait for those that are still on trial.
    const place = lane.isListed ? rings.trial.indexOf(lane) : -1
    if (place >= 0) rings.proven.push(...rings.trial.splice(place, 1))
  }

  function stalledUntil({ stalledAt }: Lane, now: Millis): Millis | undefined {
    if (stalledAt === undefined || now < stalledAt || now >= stalledAt + STORE_RETRY) return undefined
    return stalledAt + STORE_RETRY
  }

  function room(webhookId: Id<'webhook'>): number {
    const lane = lanes.get(webhookId)
    const waiting = lane?.queue.length ?? 0
    if (lane !== undefined && isParked(lane.breaker)) return 1 - waiting - lane.inFlight
    const left = bytes >= MOST_BYTES ? 0 : Math.min(LANE_LENGTH - waiting, MOST_JOBS - jobs)
    return Math.max(left, 1 - waiting)
  }

  function count(added: Job[], sign: 1 | -1): void {
    jobs += sign * added.length
    for (const job of added) bytes += sign * job.body.length
  }

  return {
    hasRoom: (webhookId) => room(webhookId) > 0,
    wanted(webhookId) {
      const waiting = lanes.get(webhookId)?.queue.length ?? 0
      return waiting > REFILL_AT ? 0 : Math.max(0, room(webhookId))
    },
    isParked: (webhookId) => isParked(lanes.get(webhookId)?.breaker ?? CLOSED),
    add(job, now) {
      const lane = laneOf(job.webhookId)
      lane.cap = job.maxInFlight
      lane.queue.push(job)
      count([job], 1)
      list(lane, now)
    },
    addFirst(job, now) {
      const lane = laneOf(job.webhookId)
      lane.cap = job.maxInFlight
      lane.queue.splice(lane.urgent, 0, job)
      lane.urgent += 1
      count([job], 1)
      list(lane, now)
    },
    next(now) {
      for (let lane = nextListed(); lane !== undefined; lane = nextListed()) {
        lane.isListed = false
        // It may have been parked, emptied or given another first since it was listed.
        if (!mayGo(lane, now)) continue
        const [job] = lane.queue.splice(0, 1) as [Job]
        lane.urgent = Math.max(0, lane.urgent - 1)
        count([job], -1)
        lane.inFlight += 1
        inFlight += 1
        if (!proven.has(job.webhookId)) onTrial.add(job)
        list(lane, now)
        return job
      }
      return undefined
    },
    done(job, { isWell, goesOn, cap }, now) {
      const lane = laneOf(job.webhookId)
      lane.cap = cap ?? lane.cap
      lane.inFlight -= 1
      inFlight -= 1
      onTrial.delete(job)
      if (isWell === true) lane.window = Math.min(lane.window + 1, lane.cap)
      if (isWell === false) lane.window = Math.max(1, lane.window >> 1)
      if (isWell !== undefined) {
        remember(job.webhookId, lane, isWell)
        lane.breaker = afterAttempt(lane.breaker, { id: job.id, isWell, goesOn, now })
        lane.stalledAt = undefined
      }
      // Forgotten sooner, a lane that has just begun to widen again would begin with a whole window.
      const isAsNew = lane.breaker === CLOSED && lane.window >= Math.min(FIRST_WINDOW, lane.cap)
      if (isAsNew && lane.inFlight === 0 && lane.queue.length === 0) lanes.delete(job.webhookId)
      else list(lane, now)
    },
    stall(job, now) {
      const lane = laneOf(job.webhookId)
      lane.inFlight -= 1
      inFlight -= 1
      onTrial.delete(job)
      lane.stalledAt = now
      lane.queue.unshift(job)
      if (lane.urgent > 0) lane.urgent += 1
      count([job], 1)
      list(lane, now)
    },
    unload(webhookId) {
      const lane = lanes.get(webhookId)
      if (lane === undefined || !isParked(lane.breaker)) return []
      const rest = lane.queue.splice(Math.max(1, lane.urgent))
      count(rest, -1)
      return rest
    },
    hurry(webhookId, first, now) {
      const lane = lanes.get(webhookId)
      if (lane === undefined) return
      if (first === undefined) lane.breaker = withoutPause(lane.breaker)
      const index = lane.queue.findIndex(({ id }) => id === first)
      if (index >= lane.urgent) {
        lane.queue.splice(lane.urgent, 0, ...lane.queue.splice(index, 1))
        lane.urgent += 1
      }
      list(lane, now)
    },
    wake(now, webhooks) {
      for (const webhookId of webhooks ?? lanes.keys()) {
        const lane = lanes.get(webhookId)
        if (lane !== undefined) list(lane, now)
      }
    },
    clear() {
      const left: Job[] = []
      for (const lane of lanes.values()) {
        left.push(...lane.queue)
        lane.queue = []
        lane.urgent = 0
        lane.isListed = false
      }
      rings.proven = []
      rings.trial = []
      jobs = 0
      bytes = 0
      return left
    },
    get inFlight() {
      return inFlight
    },
    oldestDue() {
      let oldest: Millis | undefined
      for (const { queue, breaker } of lanes.values()) {
        const [first] = queue
        if (first === undefined || isParked(breaker)) continue
        if (oldest === undefined || first.dueAt < oldest) oldest = first.dueAt
      }
      return oldest
    },
  }
}
