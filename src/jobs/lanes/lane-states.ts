import { createBoundedMap } from '../../core/bounded-map.ts'
import { type Clock, type Millis, SECOND } from '../../core/clock.ts'
import { createCoalescedRuns } from '../../core/coalesced-runs.ts'
import type { Job } from '../job.ts'
import type { Ownership } from '../ownership/ownership.ts'
import { FIRST_LIMIT, limitOf } from './concurrency-limit.ts'
import type { KnownLane } from './lane.ts'

/** The state of a lane in the table, for other processes, for the API and for the next start. */
export interface LaneState<J extends Job = Job> {
  laneId: J['laneId']
  /** The concurrency limit: attempts at once. */
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
  /** Clears in the table the failures of lanes that have succeeded since. */
  clear(laneIds: J['laneId'][], now: Millis): Promise<void>
}

/** What an attempt has shown of its lane. */
interface LaneNote extends KnownLane, Pick<LaneState, 'parkedAt' | 'probeAt'> {
  /** Why the attempt failed; null: it succeeded; undefined: unknown. */
  failure?: string | null | undefined
}

/**
 * The states of a worker's idle lanes, in memory and in the table, for the next start and the next owner. Memory drops the least recently
 * used state first. The owner of a lane writes its state; other workers read which lanes fail, clear a failure after a success, and leave
 * parked lanes to their owners. An error here delays no job: the lane then begins as a new one.
 */
export interface LaneStates<J extends Job> {
  /** The last state of a lane; undefined where the lane is unknown. */
  recall(laneId: J['laneId']): KnownLane | undefined
  /** Records the state of a lane after an attempt. A change that people see is written soon. */
  note(laneId: J['laneId'], noted: LaneNote, now: Millis): void
  /** Drops lanes without writing them, for instance lanes with a new owner. */
  forget(isForgotten: (laneId: J['laneId']) => boolean): void
  /** Reads states of unknown lanes from the table. */
  load(): Promise<void>
  /** Writes changed states, and reads the lanes that fail at other workers, which may change the parked ones. */
  save(): Promise<void>
  stop(): void
}

interface StatesDeps<J extends Job> {
  clock: Clock
  store: LaneStore<J>
  ownership: Pick<Ownership, 'isOwner' | 'setParked' | 'workers'>
  log: { error(data: object, message: string): void }
}

/** Lanes that are remembered at most. */
export const MOST_REMEMBERED = 50_000
/** A lane must fail for this long before its failure is written, so that a single failure is not. */
const SETTLED: Millis = SECOND
/** Changes within this time are saved together. */
const GATHERED: Millis = SECOND

type Written = Omit<LaneState, 'laneId'>

interface Known extends KnownLane, Omit<Written, 'level'> {
  /** The state in the table, as far as this process knows. */
  written: Written
  /** Whether this process has made an attempt of it. */
  isTried: boolean
}

/** The state of a new lane, which needs no row. */
const NEW: Written = { level: FIRST_LIMIT, parkedAt: null, probeAt: null, failingAt: null, cause: null }

export function createLaneStates<J extends Job>(deps: StatesDeps<J>): LaneStates<J> {
  const { clock, store, ownership, log } = deps
  const failed = (error: unknown) => log.error({ err: error }, 'states of lanes')
  const known = createBoundedMap<J['laneId'], Known>(MOST_REMEMBERED)
  /** Lanes whose state may differ from the table, and lanes that are parked. */
  const changed = new Set<J['laneId']>()
  const parked = new Set<J['laneId']>()
  /** Lanes that fail by the table, and lanes that succeeded here, whose failures by other processes are to be cleared. */
  let failing = new Set<J['laneId']>()
  const succeeded = new Set<J['laneId']>()
  let cancel: (() => void) | undefined
  /** One at a time, so that no older state is written after a newer one. */
  const saves = createCoalescedRuns(saveChanged)

  /**
   * Takes the states to write: changed ones since the last call, and all of parked lanes, because readers ignore an old parked
   * state. A failure that is too young stays in `changed`.
   */
  function takeChanged(now: Millis): LaneState<J>[] {
    const taken: LaneState<J>[] = []
    for (const laneId of [...changed.union(parked)]) {
      const state = known.get(laneId)
      if (state === undefined) {
        parked.delete(laneId)
        changed.delete(laneId)
        continue
      }
      const written = toWritten(state, now)
      if (written.failingAt === state.failingAt) changed.delete(laneId)
      if (isSame(state.written, written) && written.parkedAt === null) continue
      state.written = written
      taken.push({ laneId, ...written })
    }
    return taken
  }

  async function saveChanged(): Promise<void> {
    const own = takeChanged(clock.now()).filter(({ laneId }) => ownership.isOwner(laneId))
    const others = succeeded.difference(new Set(own.map(({ laneId }) => laneId)))
    succeeded.clear()
    // A failure that is too young for this save is written with the next one.
    if (changed.size > 0) saveSoon()
    if (own.length > 0) await store.save(own, clock.now()).catch(failed)
    if (others.size > 0) await store.clear([...others], clock.now()).catch(failed)
  }

  function saveSoon(): void {
    if (cancel !== undefined) return
    cancel = clock.after(GATHERED, () => {
      cancel = undefined
      void saves.ask()
    })
  }

  /** Reads which lanes fail by the table, where other workers write it too. */
  async function readFailing(): Promise<void> {
    if (ownership.workers < 2) return
    const lanes = await store.failing(clock.now())
    failing = new Set(lanes.map(({ laneId }) => laneId))
    ownership.setParked(lanes.flatMap(({ laneId, isParked }) => (isParked ? [laneId] : [])))
  }

  return {
    recall: (laneId) => known.get(laneId),
    note(laneId, { concurrency, isProven, parkedAt, probeAt, failure }, now) {
      const before = known.get(laneId)
      const wasFailing = before?.failingAt ?? null
      const after: Known = {
        ...{ concurrency, isProven, parkedAt, probeAt },
        failingAt: failure === undefined ? wasFailing : failure === null ? null : (wasFailing ?? now),
        cause: failure === undefined ? (before?.cause ?? null) : failure,
        written: before?.written ?? NEW,
        isTried: before?.isTried === true || failure !== undefined,
      }
      known.set(laneId, after)
      if (parkedAt === null) parked.delete(laneId)
      else parked.add(laneId)
      if (!isSame(after.written, stateOf(after))) changed.add(laneId)
      const isOver = failure === null && failing.delete(laneId)
      if (isOver || (failure === null && before?.isTried !== true)) succeeded.add(laneId)
      const isNews = (wasFailing === null) !== (after.failingAt === null)
      if (isOver || isNews || (before?.parkedAt ?? null) !== parkedAt) saveSoon()
    },
    forget(isForgotten) {
      for (const [laneId] of known.entries()) {
        if (!isForgotten(laneId)) continue
        known.delete(laneId)
        for (const some of [changed, parked, succeeded]) some.delete(laneId)
      }
    },
    async load() {
      const states = (await store.load().catch(failed)) ?? []
      for (const { laneId, ...written } of states) {
        if (known.get(laneId) !== undefined) continue
        const concurrency = limitOf(written.level)
        known.set(laneId, {
          ...written,
          concurrency,
          isProven: false,
          parkedAt: null,
          probeAt: null,
          written,
          isTried: false,
        })
      }
    },
    async save() {
      await saves.ask()
      await readFailing().catch(failed)
    },
    stop() {
      cancel?.()
      cancel = undefined
    },
  }
}

const stateOf = ({ concurrency, parkedAt, probeAt, failingAt, cause }: Known): Written => ({
  ...{ level: Math.floor(concurrency.limit), parkedAt, probeAt, failingAt, cause },
})

/** The state of a lane to write now. */
function toWritten(known: Known, now: Millis): Written {
  const { failingAt, parkedAt } = known
  const isFailing = failingAt !== null && (parkedAt !== null || now - failingAt >= SETTLED)
  return isFailing ? stateOf(known) : { ...stateOf(known), failingAt: null, cause: null }
}

/** Whether two states differ in nothing but the moment of the next probe, which moves with each probe. */
function isSame(a: Written, b: Written): boolean {
  return (
    a.level === b.level && a.parkedAt === b.parkedAt && a.failingAt === b.failingAt && a.cause === b.cause
  )
}
