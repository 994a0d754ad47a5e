import type { Clock, Millis } from '../../core/clock.ts'
import type { Job, Owned, Settlement } from '../job.ts'
import type { JobStore } from '../job-store.ts'
import type { JobShares } from '../lanes/job-shares.ts'
import type { LaneStore } from '../lanes/lane-states.ts'
import type { Learnt, Load } from '../lanes/lanes.ts'
import type { Lease, Pace } from '../lease/lease.ts'

export interface Log {
  info(data: object, message: string): void
  error(data: object, message: string): void
}

/** The result of an attempt. */
export interface Result<S> {
  settlement: S
  learnt: Learnt
  /** Set where the work has written the settlement in a transaction of its own. */
  isSettled?: true
}

/** An attempt that may begin at once. It does not throw for failures of the destination. */
export type Attempt<S> = () => Promise<Result<S>>

/** A kind of job: its work and its rules after a failure. */
export interface JobKind<J extends Job, S extends Settlement<J>> {
  /** Its name in the log, and the log's field for a lane. */
  name: string
  laneName: string
  store: JobStore<J, S>
  /**
   * Keeps the concurrency limit of each lane and whether it is parked, for kinds whose lanes are destinations. A kind without it has
   * lanes of organizations: they do not park, and each job keeps its own schedule.
   */
  lanes?: LaneStore<J>
  /** The longest duration of an attempt, without the wait for a connection. */
  longest: Millis
  /** The owner of a result, where writing it may wait for a row of the owner; unless given, all results share commits. */
  behalfOf?: (settlement: S) => string
  /**
   * Reads the data of an attempt of a job that `claimer` has claimed, last of all whether it may still be made: the attempt begins in
   * the turn in which that is known.
   * @returns undefined where it may not be made; the job goes back to the table
   * @throws where the store failed; the lane waits for `STORE_RETRY`
   */
  prepare(job: J, claimer: string): Promise<Attempt<S> | undefined>
  /**
   * Work of the kind that follows each poll, such as the next step of replays, and again while it returns lanes and no other poll is due.
   * @returns the lanes for which it has written jobs
   */
  afterPoll(now: Millis): Promise<J['laneId'][]>
}

/** What a worker of any kind of job needs. */
export interface WorkerDeps {
  clock: Clock
  log: Log
  /** The lease of this process, under whose name it claims; it is started before the worker and ends after it. */
  lease: Lease
  /** Whether other processes may work on the same jobs, so that claims must be leased. */
  shared: boolean
  /** What organizations share of its attempts and its memory. */
  shares: JobShares
  /** Notifies the owner of a lane that jobs of it wait in the table, due now or later. */
  notifyOwner?: ((laneId: string) => void) | undefined
  /** Asks the other workers to agree again on the parts of lanes. */
  notifyWorkers?: (() => void) | undefined
  pace?: Pace | undefined
}

/** Hands new jobs to a worker. */
export interface Handover<J extends Job> {
  /**
   * The worker that claims a new job at its insertion, so that this process begins it without a separate claim; undefined where the job
   * must wait in the table.
   */
  claimFor(lane: Owned<J> & Pick<J, 'cap' | 'perSecond'>): string | undefined
  /** Accepts committed jobs. @param unclaimed the lanes of the other new jobs, which wait in the table */
  accept(fresh: { job: J; claimer: string }[], unclaimed: Iterable<J['laneId']>): void
}

/** The engine that does the jobs of one kind. */
export interface JobWorker<J extends Job> extends Handover<J> {
  start(): Promise<void>
  /** Waits for the attempts under way, and gives all other jobs back. */
  stop(): Promise<void>
  /** How late the oldest due job is. */
  lag(now: Millis): Millis
  /** Whether this worker owns a lane. */
  isOwner(laneId: J['laneId']): boolean
  /** What its attempts are used for, and which organizations wait for their share of them. */
  load(): Load
  /** The number of worker rows at the last read, dead workers included; 0 before it. */
  workers(): number
  /** Other workers may have joined, left or published new parts. */
  agree(): void
  /** Jobs of a lane may wait in the table, due now or later; ignored for lanes of other owners. */
  wake(laneId: J['laneId']): void
  /** As `wake`, where all such jobs are new and due. */
  arrived(laneId: J['laneId']): void
  /** Polls now, because the notification of a job may have been lost. */
  poll(): void
  /**
   * A person asked for an attempt: a parked lane is probed at once; a lane of another owner as soon as this worker owns it.
   * @param first the job that goes before all others of its lane
   */
  tryNow(laneId: J['laneId'], first?: J['id']): void
}
