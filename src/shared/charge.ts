import type { Millis } from '../core/clock.ts'
import type { ApiError } from '../core/errors.ts'
import type { Id } from '../core/id.ts'
import type { Action } from '../core/plans.ts'
import type { Tx } from '../db/database.ts'

/**
 * Takes credits for work whose outcome is not known yet. Each function is called in a transaction of its own, or in the
 * work's. For an organization that was deleted since, settling and releasing do nothing.
 */
export interface Charge<Reservation = unknown> {
  /**
   * Sets aside the price of the work.
   * @throws ApiError INSUFFICIENT_CREDITS, ENTITY_NOT_FOUND when the organization does not exist
   */
  reserve(tx: Tx, work: Work & { organizationId: Id<'organization'>; now: Millis }): Promise<Reservation>
  /**
   * The work was done: takes the reserved credits, or the part that was needed. A second call changes nothing. A lapsed
   * reservation is paid as far as the balance reaches.
   * @param actual credits, 0 to the reserved price
   * @throws RangeError
   */
  settle(tx: Tx, reservation: Reservation, now: Millis, actual?: number): Promise<unknown>
  /** The work was not done: gives the reserved credits back. A second call, or one after `settle`, changes nothing. */
  release(tx: Tx, reservation: Reservation, now: Millis): Promise<unknown>
  /** Settles and reserves for many pieces of work at once, in few statements. */
  moveAll(tx: Tx, movements: Movement<Reservation>[], now: Millis): Promise<Moved<Reservation>[]>
}

/** A piece of work that is paid. */
interface Work {
  action: Action
  /** The id of the subject of the work, for a reader of the ledger. */
  reference: string
  /** The highest price, where it is not the action's price: a whole number from 0. */
  credits?: number | undefined
}

/** Work that has been done: `actual` credits are taken, 0 to the reserved price. */
export interface Settlement<Reservation = unknown> {
  reservation: Reservation
  actual: number
}

/** Settlements and reservations of one organization, made as a whole or not at all. */
export interface Movement<Reservation = unknown> {
  organizationId: Id<'organization'>
  /** Work that has been done, which is paid first; no reservation is named twice. */
  settle?: Settlement<Reservation>[]
  /** Work that is to be done, for which credits are then set aside. */
  reserve?: Work[]
}

/** The result of a movement: its reservations, in the order of `reserve`; or the reason why nothing was reserved or settled. */
export interface Moved<Reservation = unknown> {
  reservations: Reservation[]
  refused?: ApiError
}
