import type { Millis } from '../core/clock.ts'
import type { ApiError } from '../core/errors.ts'
import type { Id } from '../core/id.ts'
import type { Action } from '../core/plans.ts'
import type { Tx } from '../db/database.ts'

/** Takes credits for work whose end is not known yet; each is called in a transaction of its own, or of the work's. */
export interface Charge<Reservation = unknown> {
  /**
   * Sets aside what the work costs: the action's price, or `credits` where the work has one of its own.
   * @throws ApiError INSUFFICIENT_CREDITS
   */
  reserve(
    tx: Tx,
    work: {
      organizationId: Id<'organization'>
      action: Action
      reference: string
      now: Millis
      credits?: number
    },
  ): Promise<Reservation>
  /** The work was done: what was reserved is spent, or the `actual` part of it. */
  settle(tx: Tx, reservation: Reservation, now: Millis, actual?: number): Promise<unknown>
  /** It was not: what was reserved is given back. */
  release(tx: Tx, reservation: Reservation, now: Millis): Promise<unknown>
  /** Does the same for many pieces of work at once: those that come to an end, and what comes next of them. */
  moveAll(tx: Tx, movements: Movement<Reservation>[], now: Millis): Promise<Moved<Reservation>[]>
}

/** What is to become of credits for one piece of work: made as a whole, or not at all. */
export interface Movement<Reservation = unknown> {
  organizationId: Id<'organization'>
  /** What was done before is paid first: the `actual` part, 0 to what was set aside. */
  settle?: { reservation: Reservation; actual: number } | undefined
  /** What is set aside then: the action's price, or `credits`. */
  reserve?: { action: Action; reference: string; credits?: number | undefined } | undefined
}

/** What became of it: the reservation, where one was asked for; or why it was refused. */
export interface Moved<Reservation = unknown> {
  reservation?: Reservation
  refused?: ApiError
}
