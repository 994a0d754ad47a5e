import type { Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { type Id, newId } from '../../core/id.ts'
import { LIFETIME } from '../../core/limits.ts'
import type { Action, PlanBook } from '../../core/plans.ts'
import type { Tx } from '../../db/database.ts'
import { prepared, preparedInsert } from '../../db/engine/prepared.ts'
import type { Moved, Movement } from '../../shared/charge.ts'
import { type Account, available, openAccount, takeFrom } from './account.ts'
import { append } from './ledger.ts'
import { moveAll } from './movements.ts'

/** Credits set aside for one piece of work. */
export interface Reservation {
  id: Id<'reservation'>
  organizationId: Id<'organization'>
  /** What the work costs, in credits. */
  price: number
}

export interface Purpose {
  organizationId: Id<'organization'>
  action: Action
  /** What the work is about, for a reader of the ledger: an id. */
  reference: string
  now: Millis
  /** What it costs at most, where that is not the action's price: a whole number from 0. */
  credits?: number
}

/** Pays for work whose outcome is known only afterwards: reserve before it, settle or release after it. */
export interface Charges {
  /**
   * Sets aside what the action costs.
   * @throws ApiError INSUFFICIENT_CREDITS when that is not there
   */
  reserve(tx: Tx, purpose: Purpose): Promise<Reservation>
  /**
   * Takes what was set aside, or the part of it that was needed. Done again, it changes nothing. A reservation whose
   * time was over is still paid as far as the balance reaches: the work was done.
   * @param actual credits, 0 to the reserved price
   * @throws RangeError
   */
  settle(tx: Tx, reservation: Reservation, now: Millis, actual?: number): Promise<void>
  /** Gives back what was set aside. Done again, or after it was settled, it changes nothing. */
  release(tx: Tx, reservation: Reservation, now: Millis): Promise<void>
  /** As `moveAll` of the movements. */
  moveAll(tx: Tx, movements: Movement<Reservation>[], now: Millis): Promise<Moved<Reservation>[]>
}

const insertReservation = preparedInsert('reservation', [
  'id',
  'organization_id',
  'action',
  'reference',
  'price',
  'amount',
  'status',
  'created_at',
  'expires_at',
])

const selectReservation = prepared<{ id: Id<'reservation'> }>()((db, value) =>
  db.selectFrom('reservation').selectAll().where('id', '=', value('id')),
)

const endReservation = prepared<{ id: Id<'reservation'>; status: 'settled' | 'released' }>()((db, value) =>
  db
    .updateTable('reservation')
    .set({ status: value('status') })
    .where('id', '=', value('id')),
)

export function createCharges(book: PlanBook): Charges {
  return {
    moveAll: (tx, movements, now) => moveAll(tx, book, movements, now),

    async reserve(tx, { organizationId, action, reference, now, credits: price = book.prices[action] }) {
      const account = await openAccount(tx, book, organizationId, now)
      const amount = account.plan.creditsPerCycle === null ? 0 : price
      const balance = available(account)
      if (balance < amount) throw new ApiError('INSUFFICIENT_CREDITS', { balance, required: price })
      const id = newId('reservation', now)
      await insertReservation(tx, [
        {
          id,
          organization_id: organizationId,
          action,
          reference,
          price,
          amount,
          status: 'held',
          created_at: now,
          expires_at: now + LIFETIME.creditReservation,
        },
      ])
      return { id, organizationId, price }
    },

    async settle(tx, { id, organizationId, price }, now, actual = price) {
      if (!Number.isInteger(actual) || actual < 0 || actual > price)
        throw new RangeError(`${actual} is not 0 to the ${price} credits of ${id}`)
      const account = await openIfThere(tx, book, organizationId, now)
      const [row] = await selectReservation(tx, { id })
      if (account === undefined || row === undefined) return
      if (row.status === 'settled' || row.status === 'released') return
      // What it held, or what nobody holds; under a plan without limit it took nothing.
      const free = available(account) + (row.status === 'held' ? row.amount : 0)
      const taken = Math.min(row.amount, actual, free)
      await endReservation(tx, { id, status: 'settled' })
      await append(
        tx,
        account,
        {
          key: `debit:${id}`,
          kind: 'debit',
          ...takeFrom(account, taken),
          price: actual,
          action: row.action,
          reference: row.reference,
        },
        now,
      )
    },

    async release(tx, { id, organizationId }, now) {
      const account = await openIfThere(tx, book, organizationId, now)
      const [row] = await selectReservation(tx, { id })
      if (account === undefined || row === undefined || row.status === 'settled') return
      await endReservation(tx, { id, status: 'released' })
    },
  }
}

/**
 * As `openAccount`; undefined once the organization is deleted, with its reservations: who ends work of it then must not fail
 * for that, again and again.
 */
function openIfThere(...asked: Parameters<typeof openAccount>): Promise<Account | undefined> {
  return openAccount(...asked).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'ENTITY_NOT_FOUND') return undefined
    throw error
  })
}
