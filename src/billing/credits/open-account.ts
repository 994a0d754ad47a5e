import { sql } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { LIFETIME } from '../../core/limits.ts'
import { type PlanBook, planOf } from '../../core/plans.ts'
import type { Tx } from '../../db/database.ts'
import { type Columns, namesOf, preparedForList } from '../../db/engine/lists.ts'
import { lockClause } from '../../db/locking.ts'
import { notFound } from '../../db/owned-row.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { type Account, renew } from './account.ts'
import { cycleAt } from './cycle.ts'

/** Credits that are reserved for one piece of work. */
export interface Reservation {
  id: Id<'reservation'>
  organizationId: Id<'organization'>
  /** The price of the work, in credits. */
  price: number
}

/** An organization whose account is opened, and a reservation to read with it. */
interface AccountRequest {
  organizationId: Id<'organization'>
  reservationId?: Id<'reservation'> | undefined
}

/** The accounts that one transaction has locked, and the reservations that were read with them. */
interface Opened {
  accounts: Map<Id<'organization'>, Account>
  reservations: Map<Id<'reservation'>, ReadReservation>
}

/** A reservation that was read with its account. */
export type ReadReservation = Pick<Tables['reservation'], 'status' | 'amount' | 'action' | 'reference'>

/** Whether a reservation is settled or released. An expired one is neither: its work may still be settled. */
export function hasEnded({ status }: Pick<ReadReservation, 'status'>): boolean {
  return status === 'settled' || status === 'released'
}

type Locked = Tables['credit_account']
const LOCKED: Columns<Pick<Locked, 'organization_id'>> = { organization_id: 'text' }

/** Every column: a statement for all columns of a table cannot be prepared, because a later version may add some. */
const OF_ACCOUNT = Object.keys({
  ...{ organization_id: true, anchor_at: true, cycle_start: true, cycle_end: true, cycle_granted: true },
} satisfies Record<keyof Locked, true>)

/**
 * Locks accounts in the order of their ids, or none where one is missing, so that transactions with several accounts
 * never deadlock.
 */
const lockExisting = preparedForList<Pick<Locked, 'organization_id'>, Locked>(LOCKED, (db, list) =>
  sql<Locked>`
      with wanted (${namesOf(LOCKED)}) as (${list})
      select ${sql.join(OF_ACCOUNT.map((name) => sql.ref(`credit_account.${name}`)))}
      from credit_account join wanted on wanted.organization_id = credit_account.organization_id
      where not exists (
        select 1 from wanted as missing where not exists (
          select 1 from credit_account as known join organization on organization.id = known.organization_id
          where known.organization_id = missing.organization_id and organization.deleted_at is null))
      order by credit_account.organization_id ${lockClause(db, 'credit_account')}`.compile(db),
)

/** Locks accounts in the same order, and creates each at its first use: an upsert locks the row on either engine. */
const lockOrCreate = preparedForList<Pick<Locked, 'organization_id'>, Locked>(LOCKED, (db, list) =>
  sql<Locked>`
      with wanted (${namesOf(LOCKED)}) as (${list})
      insert into credit_account (organization_id, anchor_at, cycle_start, cycle_end, cycle_granted)
      select id, created_at, 0, 0, 0 from organization
      where id in (select organization_id from wanted) and deleted_at is null order by id
      on conflict (organization_id) do update set anchor_at = credit_account.anchor_at
      returning *`.compile(db),
)

/** Locks the accounts of organizations; those of missing or deleted organizations are left out. */
async function lockAccounts(tx: Tx, ids: Set<Id<'organization'>>): Promise<Locked[]> {
  const wanted = [...ids].map((id) => ({ organization_id: id }))
  const existing = await lockExisting(tx, wanted)
  // An upsert writes a new version of each row, so it is only for accounts that are missing.
  return existing.length === ids.size ? existing : lockOrCreate(tx, wanted)
}

interface AccountQuery {
  organization_id: Id<'organization'>
  /** Null where no reservation is read. */
  reservation_id: Id<'reservation'> | null
  now: Millis
  latest: Millis
}
const QUERY_COLUMNS: Columns<AccountQuery> = {
  ...{ organization_id: 'text', reservation_id: 'text', now: 'integer', latest: 'integer' },
}

/** The columns of an account. */
interface Facts {
  plan: string
  sequence: number | null
  cycle_balance: number | null
  purchased_balance: number | null
  held: number | string | null
  overdue: number | string
}

type ReadFacts = Facts &
  Pick<AccountQuery, 'organization_id' | 'reservation_id'> & {
    [Name in keyof ReadReservation]: ReadReservation[Name] | null
  }

/** The held reservations of `organization`. */
const isHeld = sql`reservation.organization_id = organization.id and reservation.status = 'held'`
const isOverdue = sql`(reservation.expires_at <= wanted.now or reservation.expires_at > wanted.latest)`

/** One statement, because each is a round trip to PostgreSQL during which other transactions on these credits wait. */
const selectFacts = preparedForList<AccountQuery, ReadFacts>(QUERY_COLUMNS, (db, list) =>
  sql<ReadFacts>`
    with wanted (${namesOf(QUERY_COLUMNS)}) as (${list})
    select wanted.organization_id, wanted.reservation_id, plan, sequence, cycle_balance, purchased_balance,
      (select sum(amount) from reservation where ${isHeld}) as held,
      (select count(*) from reservation where ${isHeld} and ${isOverdue}) as overdue,
      made.status as status, made.amount as amount, made.action as action, made.reference as reference
    from wanted
    join organization on organization.id = wanted.organization_id
    left join ledger_entry on ledger_entry.organization_id = organization.id and sequence =
      (select max(last.sequence) from ledger_entry as last where last.organization_id = organization.id)
    left join reservation as made on made.id = wanted.reservation_id`.compile(db),
)

const expireReservations = preparedForList<AccountQuery>(QUERY_COLUMNS, (db, list) =>
  sql<never>`
    with wanted (${namesOf(QUERY_COLUMNS)}) as (${list})
    update reservation set status = 'expired' from wanted
    where reservation.organization_id = wanted.organization_id and reservation.status = 'held' and ${isOverdue}`.compile(
    db,
  ),
)

/**
 * The latest expiry of a reservation that is made at `now`. A later one comes from a wrong clock, and counts as
 * expired.
 */
export function latestExpiry(now: Millis): Millis {
  return now + 2 * LIFETIME.creditReservation
}

/**
 * Locks the credits of organizations for this transaction, expires their overdue reservations, and begins a new cycle
 * where one is due: the first request or background job of a cycle does that. Missing or deleted organizations are left
 * out with their reservations.
 */
export async function openAccounts(
  tx: Tx,
  book: PlanBook,
  requests: AccountRequest[],
  now: Millis,
): Promise<Opened> {
  const ids = new Set(requests.map(({ organizationId }) => organizationId))
  const rows = new Map((await lockAccounts(tx, ids)).map((row) => [row.organization_id, row]))
  const opened: Opened = { accounts: new Map(), reservations: new Map() }
  for (const facts of await readFacts(tx, requests, now)) {
    const row = rows.get(facts.organization_id)
    if (row === undefined) continue
    if (isRead(facts)) opened.reservations.set(facts.reservation_id, facts)
    if (opened.accounts.has(row.organization_id)) continue
    const account = toAccount(book, facts, row)
    opened.accounts.set(row.organization_id, account)
    const cycle = cycleAt(row.anchor_at, book.cycle, now)
    if (cycle.start !== row.cycle_start || cycle.end !== row.cycle_end) await renew(tx, account, cycle, now)
  }
  return opened
}

/**
 * As `openAccounts`, for one organization.
 * @throws ApiError ENTITY_NOT_FOUND where the organization does not exist or was deleted
 */
export async function openAccount(
  tx: Tx,
  book: PlanBook,
  organizationId: Id<'organization'>,
  now: Millis,
): Promise<Account> {
  const { accounts } = await openAccounts(tx, book, [{ organizationId }], now)
  const account = accounts.get(organizationId)
  if (account === undefined) throw notFound('organizationId', organizationId)
  return account
}

/** Reads the facts about accounts; expires overdue reservations first. */
async function readFacts(tx: Tx, requests: AccountRequest[], now: Millis): Promise<ReadFacts[]> {
  const wanted = requests.map(
    ({ organizationId, reservationId = null }): AccountQuery => ({
      ...{ organization_id: organizationId, reservation_id: reservationId, now, latest: latestExpiry(now) },
    }),
  )
  const facts = await selectFacts(tx, wanted)
  const overdue = new Set(
    facts.flatMap(({ organization_id, overdue }) => (Number(overdue) > 0 ? organization_id : [])),
  )
  if (overdue.size === 0) return facts
  await expireReservations(
    tx,
    wanted.filter(({ organization_id }) => overdue.has(organization_id)),
  )
  return selectFacts(tx, wanted)
}

function isRead(
  facts: ReadFacts,
): facts is ReadFacts & ReadReservation & { reservation_id: Id<'reservation'> } {
  return facts.reservation_id !== null && facts.status !== null
}

/** The account from its locked row and the facts that were read under the lock. */
function toAccount(book: PlanBook, facts: Facts, row: Locked): Account {
  return {
    organizationId: row.organization_id,
    plan: planOf(book, facts.plan),
    sequence: facts.sequence ?? 0,
    cycleBalance: facts.cycle_balance ?? 0,
    purchasedBalance: facts.purchased_balance ?? 0,
    held: Number(facts.held ?? 0),
    cycleGranted: row.cycle_granted,
    cycleStart: row.cycle_start,
  }
}
