import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Job, Owned } from '../job.ts'
import type { Due } from '../job-store.ts'
import type { Ownership } from '../ownership/ownership.ts'
import type { CircuitBreaker } from './circuit-breaker.ts'
import { limitAfter, limitOf } from './concurrency-limit.ts'
import type { JobShares } from './job-shares.ts'
import { Lane } from './lane.ts'
import type { LaneStates } from './lane-states.ts'
import { createTurns } from './turns.ts'

/** Queued jobs of one lane in memory; the rest of its backlog stays in the table. */
export const LANE_LENGTH = 200
/** Of a divided lane a worker holds this many times its part in memory; the rest waits in the table, where other workers may claim it. */
const ROUNDS = 2
/** After this many failures in a row a worker leaves a lane to its owner, which alone parks and probes it. */
const LEFT_AFTER = 3

/** What an attempt has shown of its destination. */
export interface Learnt {
  /** Whether the destination accepted the attempt or refused it for good; undefined: unknown. */
  isReachable: boolean | undefined
  /** The lane's new limits: attempts at once and a second; undefined: unchanged. */
  cap?: number
  perSecond?: number | null
  /** When the attempt began, and how long the answer took. */
  startedAt?: Millis
  durationMs?: number
  /** Why the attempt failed, for readers of the API; null: it succeeded; undefined: unknown. */
  failure?: string | null
}

/** What the attempts of a process are used for. */
export interface Load {
  /** The most attempts in flight, and the present number. */
  most: number
  inFlight: number
  /** For each organization that has used up its share: jobs in memory whose lanes would take them now. */
  waiting: ReadonlyMap<Id<'organization'>, number>
}

/** The result of an attempt. */
interface Ending extends Learnt {
  /** Whether the job waits for another attempt. */
  isPending: boolean
}

/**
 * The lanes of this worker, with fair turns among organizations and among the lanes of each (`turns.ts`), within the shares of each
 * organization (`job-shares.ts`). A failing lane shrinks to one attempt at a time (`concurrency-limit.ts`), then is parked
 * (`circuit-breaker.ts`) and holds one job, the next probe. An attempt that reaches the destination ends that, and further ones raise its limit.
 */
export interface Lanes<J extends Job> {
  /** Whether memory has room for a new job of a lane. */
  hasRoom(lane: Owned<J> & Pick<Job, 'cap' | 'perSecond'>): boolean
  /** How many jobs to claim from the table; 0 while its queue is more than half full, so that one claim fetches many. */
  wanted(lane: Owned<J> & Pick<Due<J>, 'terms'>): number
  isParked(laneId: J['laneId']): boolean
  /** Queues a job. An urgent one goes before all others and waits for no pause. */
  add(job: J, now: Millis): void
  /** The next job to attempt by fair turns; undefined where none may begin. It counts as in flight until `done` or `stall`. */
  next(now: Millis): J | undefined
  /** An attempt has ended. */
  done(job: J, ending: Ending, now: Millis): void
  /** An attempt could not begin, because the store failed: the job and its lane wait for `STORE_RETRY`. */
  stall(job: J, now: Millis): void
  /** Makes a job in memory urgent; without a job, ends the lane's pause. */
  tryNow(laneId: J['laneId'], first: J['id'] | undefined, now: Millis): void
  /** Gives turns to lanes that were held until now; to all lanes unless given. */
  wake(now: Millis, lanes?: J['laneId'][]): void
  /** The queued jobs of all lanes. */
  queued(): J['id'][]
  /** Takes some of these jobs out of the lanes. @returns them */
  takeNamed(ids: Set<J['id']>): J[]
  /** Takes all queued jobs out of a lane, or out of all; attempts in flight stay counted. @returns them */
  takeAll(laneId?: J['laneId']): J[]
  /**
   * Takes out what a lane may not hold: all jobs of a lane that this worker may not send from, and all of a parked lane but the next probe
   * and the urgent ones. @returns them
   */
  takeExcess(laneId: J['laneId']): J[]
  /** Takes all queued jobs out of the lanes that this worker may not send from. @returns them */
  takeOthers(): J[]
  /** Drops the states of some lanes; their attempts in flight stay counted. */
  forget(isForgotten: (laneId: J['laneId']) => boolean, now: Millis): void
  /** When the longest due job in memory was due; jobs that wait for a pause or a rate do not count. */
  oldestDue(): Millis | undefined
  /** What the attempts are used for, and which organizations wait for their share; goes through all lanes. */
  load(now: Millis): Load
}

interface LanesDeps<J extends Job> {
  /** Called when a lane may begin nothing until a moment, at which it must be woken. */
  onHeld: (laneId: J['laneId'], until: Millis) => void
  /** As `onHeld`, for a lane whose jobs in memory wait for its rate. */
  onPaced: (laneId: J['laneId'], until: Millis) => void
  /**
   * The states of lanes that stand for destinations. Undefined: lanes stand for organizations. A failed job then says nothing about the
   * other jobs of its lane, so no lane is parked or on trial, and each takes its `cap` at once, within the share of its organization.
   */
  states: Pick<LaneStates<J>, 'recall' | 'note' | 'forget'> | undefined
  shares: JobShares
  /** The rules for parking a lane and for the jobs that its pause holds. */
  rules: CircuitBreaker
  /** How much of each lane is this worker's. */
  ownership: Pick<Ownership, 'partOf' | 'isOwner' | 'leave'>
}

/** The state of every lane that stands for an organization. */
const OF_ORGANIZATION = { concurrency: limitOf(Number.POSITIVE_INFINITY), isProven: true }

export function createLanes<J extends Job>(deps: LanesDeps<J>): Lanes<J> {
  const { onHeld, onPaced, states, shares, rules, ownership } = deps
  const lanes = new Map<J['laneId'], Lane<J>>()
  const turns = createTurns<Lane<J>>(shares)

  function laneOf(job: J): Lane<J> {
    const known = lanes.get(job.laneId)
    if (known !== undefined) return known
    const made = new Lane<J>(job, states === undefined ? OF_ORGANIZATION : states.recall(job.laneId))
    lanes.set(job.laneId, made)
    return made
  }

  const termsOf = ({ id: laneId, cap, bucket: { perSecond } }: Lane<J>) => ({ laneId, cap, perSecond })
  /** Attempts at once of a lane that this worker may make. */
  const partOf = (lane: Lane<J>) => ownership.partOf(termsOf(lane))

  function mayBegin(lane: Lane<J>, now: Millis): boolean {
    if (lane.ready(partOf(lane), rules) === 0) return false
    const heldUntil = lane.heldUntil(rules, now)
    if (heldUntil !== undefined) {
      onHeld(lane.id, heldUntil)
      return false
    }
    const pacedUntil = lane.pacedUntil(now)
    if (pacedUntil === undefined) return true
    lane.isPaced = true
    onPaced(lane.id, pacedUntil)
    return false
  }

  /** Gives a lane a turn where it may begin a job. */
  function giveTurn(lane: Lane<J>, now: Millis): void {
    if (mayBegin(lane, now)) turns.add(lane)
  }

  /** How many jobs of a lane may be in memory; `terms` undefined: its limits are unknown. */
  function lengthOf(terms: Parameters<Ownership['partOf']>[0] | undefined): number {
    if (terms === undefined) return LANE_LENGTH
    const part = ownership.partOf(terms)
    return part === terms.cap ? LANE_LENGTH : Math.min(LANE_LENGTH, ROUNDS * part)
  }

  function roomOf({ laneId, organizationId }: Owned<J>, longest: number): number {
    const known = lanes.get(laneId)
    const length = known?.queue.length ?? 0
    if (known !== undefined && rules.isParked(known.breaker)) return 1 - length - known.inFlight
    return Math.min(longest, Math.max(1, shares.roomFor(organizationId))) - length
  }

  function dequeued(jobs: J[]): J[] {
    for (const job of jobs) shares.dequeue(job)
    return jobs
  }

  const empty = (lane: Lane<J>) => dequeued(lane.takeOut(() => true))
  const isOthers = (lane: Lane<J>) => lane.queue.length > 0 && partOf(lane) === 0

  /** Applies the result of an attempt to its lane, and records it for readers. */
  function learn(lane: Lane<J>, job: J, ending: Ending, now: Millis): void {
    const { isReachable, failure } = ending
    if (states === undefined || (isReachable === undefined && failure === undefined)) return
    lane.stalledAt = undefined
    if (isReachable !== undefined) limit(lane, job, { ...ending, isReachable }, now)
    const { concurrency, isProven, breaker } = lane
    const isParked = rules.isParked(breaker)
    const parkedAt = isParked ? Math.min(breaker.since, now) : null
    const probeAt = isParked ? (rules.probeDue(breaker) ?? null) : null
    states.note(lane.id, { concurrency, isProven, parkedAt, probeAt, failure }, now)
  }

  /** Changes the limits of a lane after an attempt. */
  function limit(lane: Lane<J>, { id }: J, ending: Ending & { isReachable: boolean }, now: Millis): void {
    const { isReachable, isPending, startedAt = now, durationMs = 0 } = ending
    lane.breaker = rules.afterAttempt(lane.breaker, { id, isReachable, isPending, now })
    const { inFlight } = lane
    const answer = { isReachable, startedAt, durationMs, now, inFlight }
    lane.concurrency = rules.isParked(lane.breaker)
      ? limitOf(1)
      : limitAfter(lane.concurrency, answer, lane.cap)
    lane.isProven = isReachable
    if (lane.breaker.failures >= LEFT_AFTER && !ownership.isOwner(lane.id)) {
      ownership.leave(lane.id)
      lane.breaker = rules.closed
      lane.concurrency = limitOf(1)
    }
  }

  /** How many jobs of a lane would begin now, whatever the shares of its organization. */
  function readyOf(lane: Lane<J>, now: Millis): number {
    if (lane.heldUntil(rules, now) !== undefined || lane.pacedUntil(now) !== undefined) return 0
    const ready = lane.ready(partOf(lane), rules)
    return lane.bucket.perSecond === null ? ready : Math.min(ready, 1)
  }

  return {
    hasRoom: (owned) => roomOf(owned, lengthOf(owned)) > 0,
    wanted(owned) {
      const { laneId, terms } = owned
      const known = lanes.get(laneId)
      const length = known?.queue.length ?? 0
      const longest = lengthOf(known ? termsOf(known) : terms && { laneId, ...terms })
      return length > longest / 2 ? 0 : Math.max(0, roomOf(owned, longest))
    },
    isParked(laneId) {
      const known = lanes.get(laneId)
      return known !== undefined && rules.isParked(known.breaker)
    },
    add(job, now) {
      const lane = laneOf(job)
      shares.enqueue(job)
      lane.push(job)
      giveTurn(lane, now)
    },
    next(now) {
      for (let lane = turns.next(); lane !== undefined; lane = turns.next()) {
        // The lane may have been parked or emptied since it got its turn, or have another first job.
        const job = mayBegin(lane, now) ? lane.shift(now) : undefined
        if (job === undefined) continue
        shares.dequeue(job)
        shares.begin(job, !lane.isProven)
        giveTurn(lane, now)
        return job
      }
      return undefined
    },
    done(job, ending, now) {
      const lane = laneOf(job)
      shares.end(job)
      lane.setTerms(ending)
      learn(lane, job, ending, now)
      lane.inFlight -= 1
      if (lane.isIdle(now)) lanes.delete(job.laneId)
      else giveTurn(lane, now)
    },
    stall(job, now) {
      const lane = laneOf(job)
      shares.end(job)
      shares.enqueue(job)
      lane.unshift(job, now)
      giveTurn(lane, now)
    },
    tryNow(laneId, first, now) {
      const lane = lanes.get(laneId)
      if (lane === undefined) return
      if (first === undefined) lane.breaker = rules.withoutPause(lane.breaker)
      else lane.makeUrgent(first)
      giveTurn(lane, now)
    },
    wake(now, some) {
      for (const laneId of some ?? lanes.keys()) {
        const lane = lanes.get(laneId)
        if (lane !== undefined) giveTurn(lane, now)
      }
    },
    queued: () => [...lanes.values()].flatMap(({ queue }) => queue.map(({ id }) => id)),
    takeNamed(ids) {
      if (ids.size === 0) return []
      return dequeued([...lanes.values()].flatMap((lane) => lane.takeOut(({ id }) => ids.has(id))))
    },
    takeAll(laneId) {
      if (laneId === undefined) return [...lanes.values()].flatMap(empty)
      const lane = lanes.get(laneId)
      return lane === undefined ? [] : empty(lane)
    },
    takeExcess(laneId) {
      const lane = lanes.get(laneId)
      if (lane === undefined) return []
      if (isOthers(lane)) return empty(lane)
      if (!rules.isParked(lane.breaker)) return []
      return dequeued(lane.takeOut(({ isUrgent }, index) => index > 0 && isUrgent !== true))
    },
    takeOthers: () => [...lanes.values()].filter(isOthers).flatMap(empty),
    forget(isForgotten, now) {
      states?.forget(isForgotten)
      for (const lane of [...lanes.values()]) {
        if (!isForgotten(lane.id)) continue
        // The next owner probes it.
        if (rules.isParked(lane.breaker)) ownership.leave(lane.id)
        lane.breaker = rules.closed
        lane.stalledAt = undefined
        // A paced lane stays, so that its jobs still count as waiting for the rate when they come back.
        if (lane.isIdle(now) && !lane.isPaced) lanes.delete(lane.id)
      }
    },
    oldestDue() {
      let oldest: Millis | undefined
      for (const { queue, breaker, isPaced } of lanes.values()) {
        const [first] = queue
        if (first === undefined || isPaced || rules.isParked(breaker)) continue
        if (oldest === undefined || first.dueAt < oldest) oldest = first.dueAt
      }
      return oldest
    },
    load(now) {
      const waiting = new Map<Id<'organization'>, number>()
      for (const lane of lanes.values()) {
        const { organizationId, isProven } = lane
        const ready = readyOf(lane, now)
        if (ready === 0 || (!shares.areUsedUp && shares.mayBegin(organizationId, !isProven))) continue
        waiting.set(organizationId, (waiting.get(organizationId) ?? 0) + ready)
      }
      return { most: shares.most, inFlight: shares.inFlight, waiting }
    },
  }
}
