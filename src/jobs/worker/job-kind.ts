import { type Millis, SECOND } from '../../core/clock.ts'
import type { Job, Settlement } from '../job.ts'
import type { JobStore } from '../job-store.ts'
import type { LaneState } from '../turns/lane-memory.ts'
import type { Learnt } from '../turns/lanes.ts'

/** What came of an attempt, to be written down. */
export interface Result<S> {
  settlement: S
  learnt: Learnt
}

/** An attempt that may begin at once. It never throws for what the outside does. */
export type Attempt<S> = () => Promise<Result<S>>

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

/** A kind of job: what to do, and what a failure means. */
export interface JobKind<J extends Job, S extends Settlement<J>> {
  /** What the log calls it, and its lanes. */
  name: string
  laneName: string
  store: JobStore<J, S>
  /** Where there is none, lanes begin anew with each start. */
  lanes?: LaneStore<J>
  /** How long an attempt takes at most. */
  longest: Millis
  /** On whose behalf a result is written, where that may wait for a row of theirs; those of all are written together unless given. */
  behalfOf?: (settlement: S) => string
  /**
   * Reads what an attempt needs of a job that `claimer` has claimed, last of all whether it may be made: it begins in the
   * same turn in which that is known.
   * @returns undefined where it may not be made any more: the job goes back to the table
   * @throws where the store could not say: its lane waits a moment with it
   */
  prepare(job: J, claimer: string): Promise<Attempt<S> | undefined>
  /**
   * Makes some more of the jobs that others stand for, a replay for instance. @returns the lanes that have new ones; while
   * there are any, there may be more to make
   */
  makeMore(now: Millis): Promise<J['laneId'][]>
}

/** How often things are done that nobody asks for. */
export interface Pace {
  /** A worker's claims are good this long after its last heartbeat: longer than any attempt. */
  lease: Millis
  heartbeat: Millis
  /** What other processes put into the table, and what crashed ones left, is found this soon. */
  poll: Millis
}

/** For attempts that take so long at most. */
export function paceFor(longest: Millis): Pace {
  return { lease: longest + 10 * SECOND, heartbeat: 10 * SECOND, poll: 2 * SECOND }
}
