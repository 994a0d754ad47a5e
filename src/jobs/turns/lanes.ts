import type { Millis } from '../../core/clock.ts'
import type { Job, Owned } from '../job.ts'
import type { Due } from '../job-store.ts'
import { ALONE, type Ownership } from '../ownership/ownership.ts'
import { afterAttempt, CLOSED, probeDue, type Rules, withoutPause } from './breaker.ts'
import { createFlights } from './flights.ts'
import * as lane from './lane.ts'
import type { LaneMemory } from './lane-memory.ts'
import { BOUNDLESS, levelAfter, narrowed } from './level.ts'
import { createLoad, type Load } from './load.ts'
import type { Places } from './places.ts'
import { createProven } from './proven.ts'
import { LANE_LENGTH, type Room } from './room.ts'
import { createTurns } from './turns.ts'
import { createWaiting } from './waiting.ts'

/** Of a divided lane a worker holds this many times its part in memory; the rest waits in the table, where other workers may claim it. */
const ROUNDS = 2
/** After this many failures in a row a worker leaves a lane to its owner, which alone parks and probes it. */
const LEFT_AFTER = 3

/** What an attempt has shown of its destination. */
export interface Learnt {
  /** Whether the destination answered; undefined: unknown. */
  isHealthy: boolean | undefined
  /** The lane's new limits: attempts at once and a second; undefined: unchanged. */
  cap?: number
  perSecond?: number | null
  /** When the attempt began, and how long the answer took. */
  startedAt?: Millis
  durationMs?: number
  /** Why the attempt failed, for readers of the API; null: it succeeded; undefined: unknown. */
  failure?: string | null
}

/** The result of an attempt. */
export interface Ending extends Learnt {
  /** Whether the job waits for another attempt. */
  isPending: boolean
}

/**
 * The lanes of this worker, with fair turns among organizations and among the lanes of each (`turns.ts`). Each organization has
 * a share of the places (`places.ts`) and of the memory (`room.ts`). A failing lane shrinks to one attempt at a time
 * (`level.ts`), then is parked (`breaker.ts`) and holds one job, the next probe. A success opens it, further ones widen it.
 */
export interface Lanes<J extends Job> {
  /** Whether memory has room for a new job of a lane. */
  hasRoom(lane: Owned<J> & Pick<Job, 'cap' | 'perSecond'>): boolean
  /** How many jobs to claim from the table; 0 while its queue is more than half full, so that one claim fetches many. */
  wanted(lane: Owned<J> & Pick<Due<J>, 'terms'>): number
  isParked(laneId: J['laneId']): boolean
  add(job: J, now: Millis): void
  /** As `add`, for a job that a person asked for: it goes before all others and waits for no pause. */
  addFirst(job: J, now: Millis): void
  /** The next job to attempt by fair turns; undefined where none may begin. It counts as in flight until `done` or `stall`. */
  next(now: Millis): J | undefined
  /** An attempt has ended. */
  done(job: J, ending: Ending, now: Millis): void
  /** An attempt could not begin, because the store failed: the job and its lane wait for `STORE_RETRY`. */
  stall(job: J, now: Millis): void
  /**
   * Takes all jobs out of a lane that this worker may not send from, and out of a parked lane all but the next probe and the urgent
   * ones. @returns them
   */
  unload(laneId: J['laneId']): J[]
  /** Makes a job in memory urgent; without a job, ends the lane's pause. */
  tryNow(laneId: J['laneId'], first: J['id'] | undefined, now: Millis): void
  /** Lists lanes again that were held until now; all lanes unless given. */
  wake(now: Millis, lanes?: J['laneId'][]): void
  /** The jobs in the lanes that have not begun. */
  waiting(): J['id'][]
  /** Takes some of these jobs out of the lanes. @returns them */
  drop(ids: Set<J['id']>): J[]
  /** Takes all waiting jobs out of a lane. @returns them */
  empty(laneId: J['laneId']): J[]
  /** Takes all waiting jobs out of all lanes; attempts in flight stay counted. @returns them */
  clear(): J[]
  /** Takes all waiting jobs out of the lanes that this worker may not send from. @returns them */
  dropOthers(): J[]
  /** Forgets what was learnt of some lanes; their attempts in flight stay counted. */
  forget(isForgotten: (laneId: J['laneId']) => boolean, now: Millis): void
  /** When the longest due job in memory was due; jobs that wait for a pause or a rate do not count. */
  oldestDue(): Millis | undefined
  /** What the places are used for, and which organizations wait for their share. */
  load(now: Millis): Load
}

interface LanesDeps<J extends Job> {
  /** Called when a lane may begin nothing until a moment, at which it must be woken. */
  onHeld: (laneId: J['laneId'], until: Millis) => void
  /** As `onHeld`, for a lane whose jobs in memory wait for its rate. */
  onPaced: (laneId: J['laneId'], until: Millis) => void
  /** What is remembered of idle lanes. */
  memory: LaneMemory<J>
  places: Places
  room: Room
  /** When a lane counts as parked, and what a pause holds. */
  rules: Rules
  /** How much of each lane is this worker's; all of it unless given. */
  ownership?: Pick<Ownership, 'partOf' | 'isOwner' | 'leave'> | undefined
  /**
   * Whether lanes stand for organizations and not for destinations: their level is not learnt, and each takes its `cap` at once,
   * within the share of its organization.
   */
  isTrusted?: boolean | undefined
}

export function createLanes<J extends Job>(deps: LanesDeps<J>): Lanes<J> {
  const { onHeld, onPaced, memory, places, room, rules, isTrusted = false, ownership = ALONE } = deps
  type Lane = lane.Lane<J>
  const lanes = new Map<J['laneId'], Lane>()
  const shown = createProven()
  const proven = { ...shown, has: (laneId: string) => isTrusted || shown.has(laneId) }
  const turns = createTurns<Lane>({
    room: (organizationId) => (room.forFlight(organizationId) ? places.room(organizationId) : 0),
    trials: places.trials,
    areUsedUp: () => places.areUsedUp || room.isUsedUp,
  })
  const flights = createFlights<J>({ places, room, proven, turns })
  const waiting = createWaiting({ lanes, room, rules })

  function laneOf(job: J): Lane {
    const known = lanes.get(job.laneId)
    if (known !== undefined) return known
    const made = lane.createLane<J>(job, isTrusted ? BOUNDLESS : memory.levelOf(job.laneId))
    lanes.set(job.laneId, made)
    return made
  }

  /** Attempts at once of a lane that this worker may make. */
  const termsOf = ({ id: laneId, cap, rate: { perSecond } }: Lane) => ({ laneId, cap, perSecond })
  const partOf = (one: Lane) => ownership.partOf(termsOf(one))

  function mayGo(one: Lane, now: Millis): boolean {
    if (lane.ready(one, partOf(one), rules) === 0) return false
    const until = lane.waitsUntil(one, rules, now)
    if (until !== undefined) onHeld(one.id, until)
    return until === undefined && !isPaced(one, now)
  }

  function isPaced(one: Lane, now: Millis): boolean {
    const until = lane.pacedUntil(one, now)
    if (until === undefined) return false
    one.isPaced = true
    onPaced(one.id, until)
    return true
  }

  function remember({ id, level, breaker }: Lane, failure: Learnt['failure'], now: Millis): void {
    const isParked = rules.isParked(breaker)
    const parkedAt = isParked ? Math.min(breaker.since, now) : null
    const probeAt = isParked ? (probeDue(breaker) ?? null) : null
    memory.note(id, { level, parkedAt, probeAt, failure }, now)
  }

  /** Gives a lane a turn where it may begin a job. */
  function list(one: Lane, now: Millis): void {
    if (mayGo(one, now)) turns.list(one, proven.has(one.id))
  }

  /** Puts a job into its lane by `push`. */
  function put(job: J, now: Millis, push: (one: Lane, job: J) => void): void {
    const one = laneOf(job)
    room.wait(job)
    push(one, job)
    list(one, now)
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
    return Math.min(room.forJobs(organizationId, length), longest - length)
  }

  /** Applies what an attempt has shown to its lane. */
  function learn(one: Lane, { id }: J, ending: Ending, now: Millis): void {
    const { isHealthy, isPending, startedAt = now, durationMs = 0, failure } = ending
    if (isHealthy === undefined) return
    const { inFlight } = one
    if (!isTrusted)
      one.level = levelAfter(one.level, { isHealthy, startedAt, durationMs, now, inFlight }, one.cap)
    // It moves to the ring of proven lanes, where it does not wait for lanes on trial.
    if (proven.note(one.id, isHealthy)) turns.promote(one)
    one.breaker = afterAttempt(one.breaker, { id, isHealthy, isPending, now })
    if (rules.isParked(one.breaker) && !isTrusted) one.level = narrowed(one.level)
    one.stalledAt = undefined
    if (one.breaker.failures >= LEFT_AFTER && !isTrusted && !ownership.isOwner(one.id)) {
      ownership.leave(one.id)
      one.breaker = CLOSED
      one.level = narrowed(one.level)
    }
    remember(one, failure, now)
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
    add: (job, now) => put(job, now, lane.push),
    addFirst: (job, now) => put(job, now, lane.pushUrgent),
    next(now) {
      for (let one = turns.next(); one !== undefined; one = turns.next()) {
        // The lane may have been parked or emptied since it was listed, or have another first job.
        const job = mayGo(one, now) ? lane.shift(one, now) : undefined
        if (job === undefined) continue
        flights.begin(job)
        list(one, now)
        return job
      }
      return undefined
    },
    done(job, ending, now) {
      const one = laneOf(job)
      flights.end(job)
      lane.setTerms(one, ending)
      learn(one, job, ending, now)
      one.inFlight -= 1
      if (lane.isIdle(one, now)) lanes.delete(job.laneId)
      else list(one, now)
    },
    stall(job, now) {
      flights.end(job)
      put(job, now, (one) => lane.unshift(one, job, now))
    },
    unload(laneId) {
      const one = lanes.get(laneId)
      if (one === undefined) return []
      return one.queue.length > 0 && partOf(one) === 0 ? waiting.empty(one) : waiting.unload(one)
    },
    empty(laneId) {
      const one = lanes.get(laneId)
      return one === undefined ? [] : waiting.empty(one)
    },
    tryNow(laneId, first, now) {
      const one = lanes.get(laneId)
      if (one === undefined) return
      if (first === undefined) one.breaker = withoutPause(one.breaker)
      else lane.makeUrgent(one, first)
      list(one, now)
    },
    wake(now, some) {
      for (const laneId of some ?? lanes.keys()) {
        const one = lanes.get(laneId)
        if (one !== undefined) list(one, now)
      }
    },
    waiting: waiting.ids,
    drop: waiting.drop,
    clear: waiting.clear,
    dropOthers: () =>
      [...lanes.values()].flatMap((one) =>
        one.queue.length > 0 && partOf(one) === 0 ? waiting.empty(one) : [],
      ),
    forget(isForgotten, now) {
      memory.forget(isForgotten)
      for (const one of [...lanes.values()]) {
        if (!isForgotten(one.id)) continue
        // The next owner probes it.
        if (rules.isParked(one.breaker)) ownership.leave(one.id)
        lane.unlearn(one)
        // A paced lane stays, so that its jobs still count as waiting for the rate when they come back.
        if (lane.isIdle(one, now) && !one.isPaced) lanes.delete(one.id)
      }
    },
    oldestDue: waiting.oldestDue,
    load: createLoad({ lanes, places, proven, turns, rules, partOf }),
  }
}
