import { type Clock, type Millis, SECOND } from '../../core/clock.ts'
import type { Job, Owned, Settlement } from '../job.ts'
import type { JobStore } from '../job-store.ts'
import type { LaneStore } from '../turns/lane-memory.ts'
import type { Learnt } from '../turns/lanes.ts'
import type { Load } from '../turns/load.ts'
import type { Places } from '../turns/places.ts'
import type { Limits } from '../turns/room.ts'

export interface Log {
  info(data: object, message: string): void
  error(data: object, message: string): void
}

/** What came of an attempt, to be written down. */
export interface Result<S> {
  settlement: S
  learnt: Learnt
}

/** An attempt that may begin at once. It never throws for what the outside does. */
export type Attempt<S> = () => Promise<Result<S>>

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

/** What a worker of any kind of job is made of. */
export interface WorkerDeps {
  clock: Clock
  log: Log
  /** Whether other processes may work on the same jobs, so that claims must be leased. */
  shared: boolean
  /**
   * Tells the worker that owns a lane that jobs of it wait in the table, due now or later.
   * @param asked what a person expects of it, where one does
   */
  tellOwner?: ((laneId: string, asked?: { first: string | undefined }) => void) | undefined
  /** Tells the other workers to agree anew about who has what part of each lane. */
  announce?: (() => void) | undefined
  /** Is told how many other workers have died. */
  onDied?: ((count: number) => void) | undefined
  pace?: Pace | undefined
  /** The places for attempts, where others than the engine take some too. */
  places?: Places | undefined
  /** How much it may have in hand, where that is not what `room.ts` says. */
  limits?: Partial<Limits> | undefined
  /** Whether its lanes are organizations and no destinations (`turns/lanes.ts`). */
  isTrusted?: boolean | undefined
}

/** What the engine offers to whoever makes jobs. */
export interface Handover<J extends Job> {
  /**
   * The worker under whose claim a new job of a lane is born, so that this process begins it without asking the table;
   * undefined where it has no room and the job waits in the table.
   */
  claimFor(lane: Owned<J> & Pick<J, 'cap' | 'perSecond'>): string | undefined
  /** Takes over jobs that have been committed. */
  accept(fresh: { job: J; claimer: string }[], unclaimed: Iterable<J['laneId']>): void
}

/** The engine that does what the table of a kind of job holds. */
export interface JobWorker<J extends Job> extends Handover<J> {
  start(): Promise<void>
  /** Ends when the attempts under way have, and gives everything else back. */
  stop(): Promise<void>
  /** How late the oldest due job is. */
  lag(now: Millis): Millis
  /** Whether this worker claims what waits of a lane. */
  isOwner(laneId: J['laneId']): boolean
  /** What its places are used for now, and which organizations wait for more than their share of them. */
  load(): Load
  /** How many workers share the jobs, this one included. */
  workers(): number
  /** Other workers may have come, gone, or divided lanes anew. */
  agree(): void
  /** Jobs of a lane may wait in the table, due now or later; of another's it is not asked. */
  nudge(laneId: J['laneId']): void
  /** The same of new ones, all of which are due. */
  arrived(laneId: J['laneId']): void
  /** Something may wait that this process has had no notice of. */
  poll(): void
  /**
   * A person expects an attempt: a parked lane is tried at once; one of another owner, as soon as it is this worker's.
   * @param first goes before all others of its lane
   */
  tryNow(laneId: J['laneId'], first?: J['id']): void
}
