import type { PlanBook } from '../../core/plans.ts'
import { prepared } from '../../db/engine/prepared.ts'
import type { Charge } from '../../shared/charge.ts'
import { moveAll } from './movements.ts'
import { hasEnded, openAccounts, type Reservation } from './open-account.ts'

/** Charges for work with an unknown outcome: reserve before it, settle or release after it. */
export type Charges = Charge<Reservation>

const releaseReservation = prepared<Pick<Reservation, 'id'>>()((db, value) =>
  db.updateTable('reservation').set({ status: 'released' }).where('id', '=', value('id')),
)

/** Creates the charges; each single call is a batch of one movement. */
export function createCharges(book: PlanBook): Charges {
  return {
    moveAll: (tx, movements, now) => moveAll(tx, book, movements, now),

    async reserve(tx, { organizationId, now, ...reserve }) {
      const [moved] = await moveAll(tx, book, [{ organizationId, reserve: [reserve] }], now)
      const [reservation] = moved?.reservations ?? []
      if (reservation === undefined) throw moved?.refused
      return reservation
    },

    async settle(tx, reservation, now, actual = reservation.price) {
      const { organizationId } = reservation
      await moveAll(tx, book, [{ organizationId, settle: [{ reservation, actual }] }], now)
    },

    async release(tx, { id, organizationId }, now) {
      const asked = { organizationId, reservationId: id }
      const { reservations } = await openAccounts(tx, book, [asked], now)
      const held = reservations.get(id)
      if (held !== undefined && !hasEnded(held)) await releaseReservation(tx, { id })
    },
  }
}
