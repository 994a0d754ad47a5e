import type { Millis } from '../core/clock.ts'
import type { ApiError } from '../core/errors.ts'
import type { Id } from '../core/id.ts'
import type { Action } from '../core/plans.ts'
import type { Tx } from '../db/database.ts'

/**
 * Takes credits for work whose end is not known yet; each is called in a transaction of its own, or of the work's. What ends
 * may belong to an organization that has been deleted since: then there is nothing to take or to give back.
 */
export interface Charge<Reservation = unknown> {
  /**
   * Sets aside what the work costs.
   * @throws ApiError INSUFFICIENT_CREDITS when that is not there, ENTITY_NOT_FOUND when the organization is not
   */
  reserve(tx: Tx, work: Work & { organizationId: Id<'organization'>; now: Millis }): Promise<Reservation>
  /**
   * The work was done: takes what was set aside, or the part of it that was needed. Done again, it changes nothing. A
   * reservation whose time was over is still paid as far as the balance reaches.
   * @param actual credits, 0 to the reserved price
   * @throws RangeError
   */
  settle(tx: Tx, reservation: Reservation, now: Millis, actual?: number): Promise<unknown>
  /** It was not: gives back what was set aside. Done again, or after it was settled, it changes nothing. */
  release(tx: Tx, reservation: Reservation, now: Millis): Promise<unknown>
  /** Does the same for many pieces of work at once: those that come to an end, and what comes next of them. */
  moveAll(tx: Tx, movements: Movement<Reservation>[], now: Millis): Promise<Moved<Reservation>[]>
}

/** What is paid for. */
export interface Work {
  action: Action
  /** What the work is about, for a reader of the ledger: an id. */
  reference: string
  /** What it costs at most, where that is not the action's price: a whole number from 0. */
  credits?: number | undefined
}

/** Work that has been done: the `actual` part of what was set aside for it is taken, 0 to all of it. */
export interface Settlement<Reservation = unknown> {
  reservation: Reservation
  actual: number
}

/** What is to become of credits: made as a whole, or not at all. */
export interface Movement<Reservation = unknown> {
  organizationId: Id<'organization'>
  /** What was done before is paid first; no reservation is named twice. */
  settle?: Settlement<Reservation>[]
  /** What is set aside then. */
  reserve?: Work[]
}

/** What became of it: the reservations, as they were asked for; or why none was made, and nothing was settled. */
export interface Moved<Reservation = unknown> {
  reservations: Reservation[]
  refused?: ApiError
}
