import { createBoundedMap } from '../../core/bounded-map.ts'
import { type Millis, SECOND } from '../../core/clock.ts'
import type { Job } from '../job.ts'
import { FIRST_LEVEL, type Level, recalled } from './level.ts'

/** What is written down of a lane, for other processes, for readers and for the next start. */
export interface LaneState<J extends Job = Job> {
  laneId: J['laneId']
  /** Attempts at once that it is trusted with. */
  level: number
  /** Since when it is parked; null while it is not. */
  parkedAt: Millis | null
  /** When a parked lane is tried next; null where no pause holds it. */
  probeAt: Millis | null
  /** Since when its attempts fail, without a success in between; null after a success. */
  failingAt: Millis | null
  /** Why the latest of these attempts failed. */
  cause: string | null
}

/** Where what is known of lanes outlives a worker. */
export interface LaneStore<J extends Job> {
  /** What was written down last, of as many lanes as are remembered. */
  load(): Promise<LaneState<J>[]>
  /** Writes down what has become of lanes; a power cut may take it back. */
  save(states: LaneState<J>[], now: Millis): Promise<void>
  /** Lanes that fail, as it was written down, and which of them are parked. */
  failing(now: Millis): Promise<{ laneId: J['laneId']; isParked: boolean }[]>
  /** Takes back that lanes fail, where that is written down. */
  clear(laneIds: J['laneId'][], now: Millis): Promise<void>
}

/** What the end of an attempt says of a lane. */
export interface LaneNote extends Pick<LaneState, 'parkedAt'> {
  level: Level
  probeAt?: Millis | null
  /** Why the attempt failed; null: it did not; undefined: it says nothing about that. */
  failure?: string | null | undefined
}

/** Lanes that are remembered at most. */
export const MOST_REMEMBERED = 50_000

/** One failure among successes is not written down: a lane has to fail for this long. */
const SETTLED: Millis = SECOND

/** What a worker remembers of its lanes while they have nothing to do, the ones used least lately forgotten first. */
export interface LaneMemory<J extends Job> {
  /** The level that a lane had; undefined where nothing is known. */
  levelOf(laneId: J['laneId']): Level | undefined
  /** Notes what an attempt has shown of a lane. */
  note(laneId: J['laneId'], noted: LaneNote, now: Millis): void
  /** Takes over what another life, or another process, has written down; what is known here counts more. */
  learn(states: LaneState<J>[]): void
  /** Of lanes that are another's nothing is known here, nor to be written down. */
  forget(isForgotten: (laneId: J['laneId']) => boolean): void
  /** What is to be written down: what has changed since the last time, and what is parked. */
  takeChanged(now: Millis): LaneState<J>[]
  /** Whether something is left to be written down that was too young for `takeChanged`. */
  hasChanged(): boolean
  /** Says which lanes fail as the table has it: a success here ends that, whoever has written it. */
  setFailing(lanes: Iterable<J['laneId']>): void
  /** Calls `onNews`, the only one, when a lane begins or ends to fail or to be parked, for what people look at. */
  listen(onNews: () => void): void
  /** Lanes that have succeeded here: what another process wrote of their failures is over. */
  takeWell(): J['laneId'][]
}

type Written = Omit<LaneState, 'laneId'>

interface Known extends Omit<Written, 'level'> {
  level: Level
  /** What the table holds, as far as this process knows. */
  written: Written
  /** Whether an attempt of this process has shown how it fares. */
  isTried: boolean
}

/** How every lane begins; a lane that is so is not written down. */
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

  /** What of a lane is to be written down now. */
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
      // What is too young to be written stays noted until it is old enough, or over.
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
      // A reader believes that a lane is parked for as long as it is written again.
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

/** Whether nothing that is looked at differs; the moment of a probe moves with each one. */
function isSame(a: Written, b: Written): boolean {
  return (
    a.level === b.level && a.parkedAt === b.parkedAt && a.failingAt === b.failingAt && a.cause === b.cause
  )
}
