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
import type { Moved, Movement } from '../../shared/charge.ts'
import { type Account, available, takeFrom } from './account.ts'
import { nextEntry } from './ledger.ts'
import { hasEnded, openAccounts, type ReadReservation, type Reservation } from './open-account.ts'

type Row = Tables['reservation']
type Settling = NonNullable<Movement<Reservation>['settle']>

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

/** What movements write, together. */
interface Written {
  ended: Pick<Row, 'id'>[]
  entries: Tables['ledger_entry'][]
  reservations: Row[]
}

/**
 * Settles what work has cost and sets aside what comes next, for one piece of work as for many, in as few statements as can
 * be. Each movement is made as a whole or not at all; they are made in their order.
 * @throws RangeError when more is to be settled than was set aside
 */
export async function moveAll(
  tx: Tx,
  book: PlanBook,
  movements: Movement<Reservation>[],
  now: Millis,
): Promise<Moved<Reservation>[]> {
  if (movements.length === 0) return []
  for (const { settle } of movements) if (settle !== undefined) mustBePart(settle)
  const { accounts, reservations } = await openAccounts(
    tx,
    book,
    movements.map(({ organizationId, settle }) => ({
      organizationId,
      reservationId: settle?.reservation.id,
    })),
    now,
  )
  const written: Written = { ended: [], entries: [], reservations: [] }
  const moved = movements.map((movement) => {
    const account = accounts.get(movement.organizationId)
    const held = movement.settle && reservations.get(movement.settle.reservation.id)
    return move(book, account, held, movement, written, now)
  })
  await endReservations(tx, written.ended)
  await insertMoved(tx, { ledger_entry: written.entries, reservation: written.reservations })
  return moved
}

function mustBePart({ reservation: { id, price }, actual }: Settling): void {
  if (!Number.isInteger(actual) || actual < 0 || actual > price)
    throw new RangeError(`${actual} is not 0 to the ${price} credits of ${id}`)
}

function move(
  book: PlanBook,
  account: Account | undefined,
  held: ReadReservation | undefined,
  { organizationId, settle, reserve }: Movement<Reservation>,
  written: Written,
  now: Millis,
): Moved<Reservation> {
  // The organization is deleted, with its reservations: what ends there costs nothing, and nothing begins.
  if (account === undefined)
    return reserve === undefined ? {} : { refused: notFound('organizationId', organizationId) }
  const before = { ...account }
  const entry = settle && settleHeld(account, held, settle, now)
  if (reserve === undefined) {
    if (entry !== undefined && held !== undefined) keep(written, settle, held, entry)
    return {}
  }
  const price = reserve.credits ?? book.prices[reserve.action]
  const amount = account.plan.creditsPerCycle === null ? 0 : price
  const balance = available(account)
  if (balance < amount) {
    Object.assign(account, before)
    return { refused: new ApiError('INSUFFICIENT_CREDITS', { balance, required: price }) }
  }
  if (entry !== undefined && held !== undefined) keep(written, settle, held, entry)
  account.held += amount
  const id = newId('reservation', now)
  const { action, reference } = reserve
  written.reservations.push({
    ...{ id, organization_id: organizationId, action, reference, price, amount, status: 'held' },
    ...{ created_at: now, expires_at: now + LIFETIME.creditReservation },
  })
  return { reservation: { id, organizationId, price } }
}

/** Moves the account on. @returns the entry that is to be written; undefined where nothing is to be paid any more */
function settleHeld(
  account: Account,
  held: ReadReservation | undefined,
  { reservation: { id }, actual }: Settling,
  now: Millis,
): Tables['ledger_entry'] | undefined {
  if (held === undefined || hasEnded(held)) return undefined
  if (held.status === 'held') account.held -= held.amount
  // What it held, or what nobody holds; under a plan without limit it took nothing.
  const taken = Math.min(held.amount, actual, available(account))
  const { action, reference } = held
  const key = `debit:${id}`
  return nextEntry(
    account,
    { key, kind: 'debit', ...takeFrom(account, taken), price: actual, action, reference },
    now,
  )
}

/** It is settled for what comes after it as well. */
function keep(
  { ended, entries }: Written,
  settle: Settling | undefined,
  held: ReadReservation,
  entry: Tables['ledger_entry'],
): void {
  if (settle !== undefined) ended.push({ id: settle.reservation.id })
  held.status = 'settled'
  entries.push(entry)
}
