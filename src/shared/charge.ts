import type { Millis } from '../core/clock.ts'
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
}
