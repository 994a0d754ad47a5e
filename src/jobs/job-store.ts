import type { Millis } from '../core/clock.ts'
import type { Job, Owned, Settlement } from './job.ts'

/** When the next unclaimed job of a lane is due. */
export interface Due<J extends Job> extends Owned<J> {
  laneId: J['laneId']
  organizationId: J['organizationId']
  dueAt: Millis
  /** The limits of the lane, where workers besides its owner may send; undefined where the order of its jobs is promised. */
  terms?: Pick<J, 'cap' | 'perSecond'> | undefined
}

/** The row of a worker. */
export interface WorkerRow {
  id: string
  /** Whether it is stopping, so that it gets no part of any lane. */
  isRetired: boolean
  /** Digest of the workers that it has read from the table; null before its first read. */
  seen: string | null
  /** Digest of the set of workers that it divides lanes among; null while it has no part. */
  view: string | null
  /** Lanes in which it has more jobs under way than its part in `view` allows. */
  draining: string[]
}

/** Reads and writes the worker rows that divide lanes. */
export interface OwnershipStore {
  /** The rows of all workers, alive or dead, in one snapshot. */
  readWorkers(): Promise<WorkerRow[]>
  /** Changes the row of a worker; members that are not given stay as they are. */
  save(workerId: string, changes: Partial<Omit<WorkerRow, 'id'>>): Promise<void>
  /** The lanes with claims of a worker. */
  claimedLanes(workerId: string): Promise<string[]>
}

/** A page of lanes with unclaimed jobs, in the order of lane ids. */
export interface DuePage<J extends Job> {
  due: Due<J>[]
  /** The cursor of the next page; undefined on the last one. */
  after: J['laneId'] | undefined
}

/** A lane to claim due jobs of, and how many. */
export interface Want<J extends Job> {
  laneId: J['laneId']
  limit: number
  /** `due`: the longest due first; `probe`: the best job to test a parked lane with first. */
  order?: 'due' | 'probe'
}

/**
 * The store of a kind of job; the kind's table is its queue. Each statement checks its precondition: a claim, that the row is
 * unclaimed and the worker's lease good; a settlement, that the claim still holds.
 */
export interface JobStore<J extends Job, S extends Settlement<J> = Settlement<J>> {
  /** Divides lanes among workers; without it each worker takes the whole `cap` of a lane. */
  readonly ownership?: OwnershipStore
  /**
   * Makes jobs due that a clock ahead of this one has written for later. Scans all waiting jobs in small steps.
   * @returns the lanes of these jobs
   */
  correctDue(now: Millis): Promise<J['laneId'][]>
  /** Frees the claims of workers whose row was removed (`lease/lease.ts`). */
  freeLost(now: Millis): Promise<void>
  /** Gives up all claims of a worker. */
  giveUp(workerId: string): Promise<void>
  /** When the first unclaimed job of each lane is due, a page of lanes at a time. Costs one seek for each lane that has any. */
  nextDue(after: J['laneId'] | undefined): Promise<DuePage<J>>
  /** Reads when the first unclaimed job of each given lane is due. */
  dueOf(lanes: J['laneId'][]): Promise<Due<J>[]>
  /** Claims due, unclaimed jobs of many lanes. */
  claim(workerId: string, wants: Want<J>[], now: Millis): Promise<J[]>
  /** Claims those of these jobs that are due and unclaimed. Row stores lack it, because their jobs have no retry by hand and no last call. */
  claimNamed?(workerId: string, named: Pick<J, 'id' | 'laneId'>[], now: Millis): Promise<J[]>
  /** Removes the claims of jobs that have not begun. */
  release(workerId: string, jobs: Pick<J, 'id'>[]): Promise<void>
  /** Every job that a worker has claimed. */
  claimedBy(workerId: string): Promise<J['id'][]>
  /** Aborts the statements of polls, now and later, so that stopping does not wait for them. */
  interrupt(): void
  /** Records attempts and their results in one transaction, of those jobs whose claim still holds. */
  settle(workerId: string, settlements: S[], now: Millis): Promise<void>
  /** Settles results of all owners together, where some write nothing else and wait for no row. */
  readonly unlocked?: UnlockedStore<S>
}

/** Settles results whose rows no other transaction has locked, so that no owner waits for a row of another one. */
export interface UnlockedStore<S> {
  /** Whether a result writes nothing but its row. */
  takes(settlement: S): boolean
  /** @returns the settled ones; the others were locked, or their claims do not hold any more */
  settle(workerId: string, settlements: S[], now: Millis): Promise<S[]>
}
