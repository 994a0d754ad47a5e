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

/** Where a lane is divided, a worker has so many times its part in memory: others may send what waits longer. */
const ROUNDS = 2
/** Failures in a row after which a lane is left to its owner: it alone says whether it is parked, and probes it. */
const LEFT_AFTER = 3

/** What an attempt has shown of what its job calls. */
export interface Learnt {
  /** Whether it showed itself well; undefined: nothing was learnt of it. */
  isHealthy: boolean | undefined
  /** Attempts at once, and a second, that the lane takes from now on; undefined: as before. */
  cap?: number
  perSecond?: number | null
  /** When the attempt began, and how long its answer took. */
  startedAt?: Millis
  durationMs?: number
  /** Why the attempt failed, for readers; null: it succeeded; undefined: it shows nothing of that. */
  failure?: string | null
}

/** What came of a job that was in flight. */
export interface Ending extends Learnt {
  /** Whether the job waits for another attempt. */
  isPending: boolean
}

/**
 * What this worker has in hand: its lanes, with fair turns between organizations and between the lanes of each
 * (`turns.ts`), and a share for each organization of the places (`places.ts`) and of the memory (`room.ts`). A lane whose
 * destination fails shrinks to one attempt at a time (`level.ts`) and is parked when that goes on (`breaker.ts`): it holds
 * one job, the next to try with. A success opens it again, and each one more widens it.
 */
export interface Lanes<J extends Job> {
  /** Whether a new job of a lane may be taken into memory. */
  hasRoom(lane: Owned<J> & Pick<Job, 'cap' | 'perSecond'>): boolean
  /** How many jobs to fetch from the table; 0 while the lane has enough, which is half of its length: one claim fetches many. */
  wanted(lane: Owned<J> & Pick<Due<J>, 'terms'>): number
  isParked(laneId: J['laneId']): boolean
  add(job: J, now: Millis): void
  /** As `add`, for one that a person asked for: before all others, and without a pause. */
  addFirst(job: J, now: Millis): void
  /** The next job to attempt, by fair turns, as long as there is room; it counts as in flight until `done` or `stall`. */
  next(now: Millis): J | undefined
  /** An attempt has ended. */
  done(job: J, ending: Ending, now: Millis): void
  /** It was not attempted, for the store could not say what it needs: its lane waits a moment with it. */
  stall(job: J, now: Millis): void
  /**
   * What a parked lane has in memory beyond the one that it tries next with and what was asked for, and all that waits in one of
   * which this worker may send nothing; it is in the lane no more.
   */
  unload(laneId: J['laneId']): J[]
  /** Lets one job go before all others where it is in memory; without one, ends a pause. */
  tryNow(laneId: J['laneId'], first: J['id'] | undefined, now: Millis): void
  /** Lanes that were held until a moment that has come go on. */
  wake(now: Millis, lanes?: J['laneId'][]): void
  /** What is in the lanes and was not begun. */
  waiting(): J['id'][]
  /** Takes some of what was not begun out of the lanes. */
  drop(ids: Set<J['id']>): J[]
  /** Takes out of a lane all that waits in it. @returns that */
  empty(laneId: J['laneId']): J[]
  /** Empties all lanes; what is in flight stays counted. @returns what was in them */
  clear(): J[]
  /** What a lane takes as far as it is known, and how much of it is in flight. */
  find(laneId: J['laneId']): { cap: number; perSecond: number | null; inFlight: number } | undefined
  /** Takes out what waits in lanes of which this worker may send nothing. @returns that */
  dropOthers(): J[]
  /** Nothing that was learnt of some lanes counts any more; what is in flight of them stays counted. */
  forget(isForgotten: (laneId: J['laneId']) => boolean, now: Millis): void
  /** When the job that waits longest in memory was due; what is held on purpose is not late. */
  oldestDue(): Millis | undefined
  /** What the places are used for, and who waits for more than its share of them. */
  load(now: Millis): Load
}

interface LanesDeps<J extends Job> {
  /** Is told that a lane may do nothing until a moment, when it must be woken. */
  onHeld: (laneId: J['laneId'], until: Millis) => void
  /** As `onHeld`, where what a lane has in memory waits because it takes no more a second. */
  onPaced: (laneId: J['laneId'], until: Millis) => void
  /** Where what becomes of lanes is noted, and what was is found. */
  memory: LaneMemory<J>
  places: Places
  room: Room
  /** When a lane counts as parked, and what a pause holds. */
  rules: Rules
  /** How much of each lane is this worker's; all of it unless given. */
  ownership?: Pick<Ownership, 'partOf' | 'isOwner' | 'leave'> | undefined
  /**
   * Whether a lane is no destination, but all that an organization has to be done: nothing is learnt of it then, and it takes
   * its `cap` from the first moment, within the share of its organization.
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

  /** Has it stand in line, where it may go. */
  function list(one: Lane, now: Millis): void {
    if (mayGo(one, now)) turns.list(one, proven.has(one.id))
  }

  /** Puts a job into its lane, by the way that it is to go. */
  function put(job: J, now: Millis, push: (one: Lane, job: J) => void): void {
    const one = laneOf(job)
    room.wait(job)
    push(one, job)
    list(one, now)
  }

  /** How many jobs of a lane may be in memory, by what it takes. */
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

  /** What the end of an attempt says of its lane. */
  function learn(one: Lane, { id }: J, ending: Ending, now: Millis): void {
    const { isHealthy, isPending, startedAt = now, durationMs = 0, failure } = ending
    if (isHealthy === undefined) return
    const { inFlight } = one
    if (!isTrusted)
      one.level = levelAfter(one.level, { isHealthy, startedAt, durationMs, now, inFlight }, one.cap)
    // Where it stands it might wait for those that are still on trial.
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
        // It may have been parked, emptied or given another first since it was listed.
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
    find(laneId) {
      const known = lanes.get(laneId)
      return known && { ...termsOf(known), inFlight: known.inFlight }
    },
    dropOthers: () =>
      [...lanes.values()].flatMap((one) =>
        one.queue.length > 0 && partOf(one) === 0 ? waiting.empty(one) : [],
      ),
    forget(isForgotten, now) {
      memory.forget(isForgotten)
      for (const one of [...lanes.values()]) {
        if (!isForgotten(one.id)) continue
        // Its next owner probes it.
        if (rules.isParked(one.breaker)) ownership.leave(one.id)
        lane.unlearn(one)
        // That what waits of it waits for its rate is as true of it when it comes back.
        if (lane.isIdle(one, now) && !one.isPaced) lanes.delete(one.id)
      }
    },
    oldestDue: waiting.oldestDue,
    load: createLoad({ lanes, places, proven, turns, rules, partOf }),
  }
}
