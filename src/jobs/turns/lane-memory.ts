import { createBoundedMap } from '../../core/bounded-map.ts'
import { type Millis, SECOND } from '../../core/clock.ts'
import type { Job } from '../job.ts'
import { FIRST_LEVEL, type Level, recalled } from './level.ts'

/** The state of a lane in the table, for other processes, for the API and for the next start. */
export interface LaneState<J extends Job = Job> {
  laneId: J['laneId']
  /** The concurrency level: attempts at once. */
  level: number
  /** When it was parked; null while it is not parked. */
  parkedAt: Millis | null
  /** When a parked lane is probed next; null where no pause holds it. */
  probeAt: Millis | null
  /** When the present series of failures began; null after a success. */
  failingAt: Millis | null
  /** Why the latest attempt failed. */
  cause: string | null
}

/** Keeps the states of lanes over a restart. */
export interface LaneStore<J extends Job> {
  /** The newest states, of at most `MOST_REMEMBERED` lanes. */
  load(): Promise<LaneState<J>[]>
  /** Writes states; a power cut may lose them. */
  save(states: LaneState<J>[], now: Millis): Promise<void>
  /** The lanes that fail by the table, and which of them are parked. */
  failing(now: Millis): Promise<{ laneId: J['laneId']; isParked: boolean }[]>
  /** Clears the failure of lanes in the table. */
  clear(laneIds: J['laneId'][], now: Millis): Promise<void>
}

/** What an attempt has shown of its lane. */
interface LaneNote extends Pick<LaneState, 'parkedAt'> {
  level: Level
  probeAt?: Millis | null
  /** Why the attempt failed; null: it succeeded; undefined: unknown. */
  failure?: string | null | undefined
}

/** Lanes that are remembered at most. */
export const MOST_REMEMBERED = 50_000

/** A lane must fail for this long before its failure is written, so that a single failure is not. */
const SETTLED: Millis = SECOND

/** What a worker remembers of idle lanes; the least recently used are forgotten first. */
export interface LaneMemory<J extends Job> {
  /** The last level of a lane; undefined where the lane is unknown. */
  levelOf(laneId: J['laneId']): Level | undefined
  /** Notes what an attempt has shown of a lane. */
  note(laneId: J['laneId'], noted: LaneNote, now: Millis): void
  /** Adds states from the table; lanes that are known here keep what is known. */
  learn(states: LaneState<J>[]): void
  /** Forgets lanes, for instance those that have another owner now, and does not write them. */
  forget(isForgotten: (laneId: J['laneId']) => boolean): void
  /** The states to write: those that changed since the last call, and those of parked lanes. */
  takeChanged(now: Millis): LaneState<J>[]
  /** Whether a failure was too young for the last `takeChanged`. */
  hasChanged(): boolean
  /** Sets which lanes fail by the table, so that a success here clears a failure that another process wrote. */
  setFailing(lanes: Iterable<J['laneId']>): void
  /** Calls `onNews`, the only listener, when a lane begins or stops failing or being parked. */
  listen(onNews: () => void): void
  /** Lanes that succeeded here, whose failures by other processes are to be cleared. */
  takeWell(): J['laneId'][]
}

type Written = Omit<LaneState, 'laneId'>

interface Known extends Omit<Written, 'level'> {
  level: Level
  /** The state in the table, as far as this process knows. */
  written: Written
  /** Whether this process has made an attempt of it. */
  isTried: boolean
}

/** The state of a new lane, which needs no row. */
const NEW: Written = {
  level: Math.floor(FIRST_LEVEL.limit),
  parkedAt: null,
  probeAt: null,
  failingAt: null,
  cause: null,
}

/** @param most lanes that are remembered at most */
export function createLaneMemory<J extends Job>(most = MOST_REMEMBERED): LaneMemory<J> {
  let onNews = () => {}
  const known = createBoundedMap<J['laneId'], Known>(most)
  const changed = new Set<J['laneId']>()
  const parked = new Set<J['laneId']>()
  const well = new Set<J['laneId']>()
  let failing = new Set<J['laneId']>()

  /** The state of a lane to write now. */
  function toWritten({ level, parkedAt, probeAt, failingAt, cause }: Known, now: Millis): Written {
    const isFailing = failingAt !== null && (parkedAt !== null || now - failingAt >= SETTLED)
    return {
      ...{ level: Math.floor(level.limit), parkedAt, probeAt },
      ...{ failingAt: isFailing ? failingAt : null, cause: isFailing ? cause : null },
    }
  }

  return {
    levelOf: (laneId) => known.get(laneId)?.level,
    note(laneId, { level, parkedAt, probeAt = null, failure }, now) {
      const before = known.get(laneId)
      const failingAt = failure === undefined ? before?.failingAt : failure && (before?.failingAt ?? now)
      const after: Known = {
        ...{ level, parkedAt, probeAt },
        failingAt: typeof failingAt === 'number' ? failingAt : null,
        cause: failure === undefined ? (before?.cause ?? null) : failure,
        written: before?.written ?? NEW,
        isTried: before?.isTried === true || failure !== undefined,
      }
      known.set(laneId, after)
      if (parkedAt === null) parked.delete(laneId)
      else parked.add(laneId)
      // A failure that is too young to be written stays in `changed` until it is old enough or over.
      if (!isSame(after.written, { ...after, level: Math.floor(level.limit) })) changed.add(laneId)
      const isOver = failure === null && failing.delete(laneId)
      if (isOver || (failure === null && before?.isTried !== true)) well.add(laneId)
      const wasFailing = before?.failingAt ?? null
      if (isOver || (wasFailing === null) !== (after.failingAt === null)) onNews()
      else if ((before?.parkedAt ?? null) !== parkedAt) onNews()
    },
    learn(states) {
      for (const { laneId, ...written } of states) {
        if (known.get(laneId) !== undefined) continue
        const { failingAt, cause } = written
        const state = { level: recalled(written.level), parkedAt: null, probeAt: null, failingAt, cause }
        known.set(laneId, { ...state, written, isTried: false })
      }
    },
    forget(isForgotten) {
      for (const [laneId] of known.entries()) {
        if (!isForgotten(laneId)) continue
        known.delete(laneId)
        changed.delete(laneId)
        parked.delete(laneId)
        well.delete(laneId)
      }
    },
    takeChanged(now) {
      // Parked lanes are written each time: readers ignore a parked state that is old.
      const taken: LaneState<J>[] = []
      for (const laneId of [...changed.union(parked)]) {
        const state = known.get(laneId)
        if (state === undefined) parked.delete(laneId)
        const written = state && toWritten(state, now)
        if (state === undefined || written === undefined || written.failingAt === state.failingAt)
          changed.delete(laneId)
        if (state === undefined || written === undefined) continue
        if (isSame(state.written, written) && written.parkedAt === null) continue
        state.written = written
        taken.push({ laneId, ...written })
      }
      return taken
    },
    hasChanged: () => changed.size > 0,
    setFailing(lanes) {
      failing = new Set(lanes)
    },
    listen(listener) {
      onNews = listener
    },
    takeWell() {
      const taken = [...well]
      well.clear()
      return taken
    },
  }
}

/** Whether two states differ in nothing but the moment of the next probe, which moves with each probe. */
function isSame(a: Written, b: Written): boolean {
  return (
    a.level === b.level && a.parkedAt === b.parkedAt && a.failingAt === b.failingAt && a.cause === b.cause
  )
}
