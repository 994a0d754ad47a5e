import type { Millis } from '../core/clock.ts'
import type { Job, Owned, Settlement } from './job.ts'

/** When the next job of a lane that nobody has claimed is due. */
export interface Due<J extends Job> extends Owned<J> {
  laneId: J['laneId']
  organizationId: J['organizationId']
  dueAt: Millis
  /** What the lane takes, where others than its owner may help with it; undefined where the order of its jobs counts. */
  terms?: Pick<J, 'cap' | 'perSecond'> | undefined
}

/** A worker as its row says it. */
export interface WorkerRow {
  id: string
  /** Whether it is about to end: it gets no part of any lane. */
  isRetired: boolean
  /** A digest of the workers that it has seen in the table; null: of none yet. */
  seen: string | null
  /** A digest of the workers among which it divides lanes; null: it has no part yet. */
  view: string | null
  /** Lanes of which it has more under way than that allows. */
  draining: string[]
}

/** What dividing lanes among workers asks of the store. */
export interface OwnershipStore {
  /** The rows of all workers at one moment, whether they are alive or not. */
  readWorkers(): Promise<WorkerRow[]>
  /** Writes what a worker has seen, and what it divides by. */
  saveView(workerId: string, view: Pick<WorkerRow, 'seen' | 'view' | 'draining'>): Promise<void>
  /** Declares that a worker is about to end. */
  retire(workerId: string): Promise<void>
  /** The lanes of which a worker has claimed anything. */
  claimedLanes(workerId: string): Promise<string[]>
}

/** Those of some lanes, one after the other. */
export interface DuePage<J extends Job> {
  due: Due<J>[]
  /** The lane to go on after; undefined when there are no more. */
  after: J['laneId'] | undefined
}

/** How many of the due jobs of a lane are to be claimed, and which. */
export interface Want<J extends Job> {
  laneId: J['laneId']
  limit: number
  /** Who comes first: the longest due; or who is best to try a parked lane with. */
  order?: 'due' | 'probe'
}

/**
 * What the engine asks of the store of a kind of job; the kind's table is its queue. Every statement is guarded by what must
 * still be true: a claim by the row having none and by the worker's lease, a settlement by the claim.
 */
export interface JobStore<J extends Job, S extends Settlement<J> = Settlement<J>> {
  /** By which lanes are divided among workers; without it each worker takes the whole `cap` of a lane. */
  readonly ownership?: OwnershipStore
  /** Declares a new worker, alive until a moment; its claims are freed when that has passed. */
  join(workerId: string, aliveUntil: Millis): Promise<void>
  /** Takes heartbeats that a clock that was ahead has written for written now: they hold until `aliveUntil` and no longer. */
  correct(aliveUntil: Millis): Promise<void>
  /**
   * Takes jobs that such a clock has written for written now: what waits for a moment of it is due. Goes through all that waits,
   * a little at a time. @returns the lanes of those
   */
  correctDue(now: Millis): Promise<J['laneId'][]>
  /**
   * Moves that moment on, also where it has passed: until the worker's row is removed, nothing of what it has claimed, nor its
   * part of any lane, is taken. @returns false when the row is gone, and the claims may be another's
   */
  keepAlive(workerId: string, aliveUntil: Millis, now: Millis): Promise<boolean>
  /**
   * Removes the workers that are not alive any more, and frees their claims; of all others where there can be no other.
   * @param mayFreeExpired whether those whose lease has passed are among them; else only those whose process has ended
   */
  freeDead(workerId: string, now: Millis, mayFreeExpired: boolean): Promise<void>
  /** Gives up a worker's claims and its name. */
  leave(workerId: string): Promise<void>
  /** For some lanes with an unclaimed job, when the first is due. Costs one seek for each such lane, and nothing for a lane without. */
  nextDue(after: J['laneId'] | undefined): Promise<DuePage<J>>
  /** The same for these lanes. */
  dueOf(lanes: J['laneId'][]): Promise<Due<J>[]>
  /** Claims due jobs that nobody has claimed, of many lanes at once. */
  claim(workerId: string, wants: Want<J>[], now: Millis): Promise<J[]>
  /** Claims these, as far as they are due and nobody has claimed them. */
  claimNamed(workerId: string, named: Pick<J, 'id' | 'laneId'>[], now: Millis): Promise<J[]>
  /** Gives claimed jobs back unbegun. */
  release(workerId: string, jobs: Pick<J, 'id'>[]): Promise<void>
  /** Every job that a worker has claimed. */
  claimedBy(workerId: string): Promise<J['id'][]>
  /** Ends the statements of a poll that is under way, for good: whoever stops does not wait for them. */
  interrupt(): void
  /** Records attempts and what came of them, those whose claim still holds, in one transaction. */
  settle(workerId: string, settlements: S[], now: Millis): Promise<void>
}
