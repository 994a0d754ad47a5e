import { sql } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { newId } from '../../core/id.ts'
import { LIFETIME } from '../../core/limits.ts'
import type { PlanBook } from '../../core/plans.ts'
import type { Tx } from '../../db/database.ts'
import { preparedForList, preparedListInserts } from '../../db/engine/lists.ts'
import { notFound } from '../../db/owned-row.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { Moved, Movement, Settlement } from '../../shared/charge.ts'
import { type Account, available, takeFrom } from './account.ts'
import { nextEntry } from './ledger.ts'
import { hasEnded, openAccounts, type ReadReservation, type Reservation } from './open-account.ts'

type Row = Tables['reservation']

const endReservations = preparedForList<Pick<Row, 'id'>>({ id: 'text' }, (db, list) =>
  sql<never>`
    with ended (id) as (${list})
    update reservation set status = 'settled' where id in (select id from ended)`.compile(db),
)

const insertMoved = preparedListInserts({
  ledger_entry: {
    ...{ id: 'text', organization_id: 'text', sequence: 'integer', key: 'text', kind: 'text' },
    ...{ cycle_amount: 'integer', purchased_amount: 'integer' },
    ...{ cycle_balance: 'integer', purchased_balance: 'integer' },
    ...{ price: 'integer', action: 'text', reference: 'text', reason: 'text', actor_id: 'text' },
    created_at: 'integer',
  },
  reservation: {
    ...{ id: 'text', organization_id: 'text', action: 'text', reference: 'text' },
    ...{ price: 'integer', amount: 'integer', status: 'text', created_at: 'integer', expires_at: 'integer' },
  },
})

/** The rows that all movements of one call write. */
interface Written {
  ended: Pick<Row, 'id'>[]
  entries: Tables['ledger_entry'][]
  reservations: Row[]
}

/**
 * Settles the cost of ended work and reserves credits for the next, for any number of organizations, in as few
 * statements as possible. Each movement is made completely or not at all, in the given order.
 * @throws RangeError where more is settled than was reserved
 */
export async function moveAll(
  tx: Tx,
  book: PlanBook,
  movements: Movement<Reservation>[],
  now: Millis,
): Promise<Moved<Reservation>[]> {
  if (movements.length === 0) return []
  for (const { settle = [] } of movements) settle.forEach(mustBePart)
  const { accounts, reservations } = await openAccounts(
    tx,
    book,
    movements.flatMap(({ organizationId, settle = [] }) =>
      settle.length === 0
        ? [{ organizationId }]
        : settle.map(({ reservation }) => ({ organizationId, reservationId: reservation.id })),
    ),
    now,
  )
  const written: Written = { ended: [], entries: [], reservations: [] }
  const moved = movements.map((movement) => {
    const account = accounts.get(movement.organizationId)
    return move(book, account, reservations, movement, written, now)
  })
  await endReservations(tx, written.ended)
  await insertMoved(tx, { ledger_entry: written.entries, reservation: written.reservations })
  return moved
}

function mustBePart({ reservation: { id, price }, actual }: Settlement<Reservation>): void {
  if (!Number.isInteger(actual) || actual < 0 || actual > price)
    throw new RangeError(`${actual} is not 0 to the ${price} credits of ${id}`)
}

function move(
  book: PlanBook,
  account: Account | undefined,
  read: Map<Reservation['id'], ReadReservation>,
  { organizationId, settle = [], reserve = [] }: Movement<Reservation>,
  written: Written,
  now: Millis,
): Moved<Reservation> {
  // The organization was deleted with its reservations: settlements cost nothing, and reservations are refused.
  if (account === undefined)
    return {
      reservations: [],
      ...(reserve.length === 0 ? {} : { refused: notFound('organizationId', organizationId) }),
    }
  const before = { ...account }
  const settled = settle.flatMap((one) => settleHeld(account, read.get(one.reservation.id), one, now))
  const isUnlimited = account.plan.creditsPerCycle === null
  const asked = reserve.map(({ action, reference, credits }) => {
    const price = credits ?? book.prices[action]
    return { action, reference, price, amount: isUnlimited ? 0 : price }
  })
  const balance = available(account)
  const amount = asked.reduce((sum, one) => sum + one.amount, 0)
  if (asked.length > 0 && balance < amount) {
    Object.assign(account, before)
    return { reservations: [], refused: new ApiError('INSUFFICIENT_CREDITS', { balance, required: amount }) }
  }
  for (const one of settled) keep(written, one)
  account.held += amount
  const rows = asked.map((one) => ({
    ...{ ...one, id: newId('reservation', now), organization_id: organizationId, status: 'held' as const },
    ...{ created_at: now, expires_at: now + LIFETIME.creditReservation },
  }))
  written.reservations.push(...rows)
  return { reservations: rows.map(({ id, price }) => ({ id, organizationId, price })) }
}

/** A reservation that ends, with the entry of its cost. */
interface Settled {
  id: Reservation['id']
  held: ReadReservation
  entry: Tables['ledger_entry']
}

/** Settles one reservation in `account`. @returns the rows to write; none where the reservation has ended */
function settleHeld(
  account: Account,
  held: ReadReservation | undefined,
  { reservation: { id }, actual }: Settlement<Reservation>,
  now: Millis,
): Settled[] {
  if (held === undefined || hasEnded(held)) return []
  if (held.status === 'held') account.held -= held.amount
  // An expired reservation holds nothing, so only available credits are taken. Under a plan without limit the amount is
  // 0.
  const taken = Math.min(held.amount, actual, available(account))
  const { action, reference } = held
  const key = `debit:${id}`
  const entry = nextEntry(
    account,
    { key, kind: 'debit', ...takeFrom(account, taken), price: actual, action, reference },
    now,
  )
  return [{ id, held, entry }]
}

/** Records a settlement, also in `held`, which later movements of the call read. */
function keep({ ended, entries }: Written, { id, held, entry }: Settled): void {
  ended.push({ id })
  held.status = 'settled'
  entries.push(entry)
}
