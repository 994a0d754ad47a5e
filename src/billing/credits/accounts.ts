import { sql } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { PlanBook } from '../../core/plans.ts'
import type { Tx } from '../../db/database.ts'
import { type Columns, preparedForList } from '../../db/engine/lists.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { type Account, type Facts, isHeld, latestExpiry, openAccount, toAccount } from './account.ts'
import { cycleAt } from './cycle.ts'

interface Wanted {
  organization_id: Id<'organization'>
  /** A reservation that is to be read with it; empty where there is none. */
  reservation_id: string
  now: Millis
  latest: Millis
}

const WANTED: Columns<Wanted> = {
  organization_id: 'text',
  reservation_id: 'text',
  now: 'integer',
  latest: 'integer',
}

/** In one order, so that who locks several waits in no circle. */
const lockAccounts = preparedForList<Pick<Wanted, 'organization_id'>, Tables['credit_account']>(
  { organization_id: 'text' },
  (db, list) =>
    sql<Tables['credit_account']>`
      with wanted (organization_id) as (${list})
      insert into credit_account (organization_id, anchor_at, cycle_start, cycle_end, cycle_granted)
      select id, created_at, 0, 0, 0 from organization
      where id in (select organization_id from wanted) and deleted_at is null order by id
      on conflict (organization_id) do update set anchor_at = credit_account.anchor_at
      returning *`.compile(db),
)

/** A reservation as it is read with its account. */
export type ReadReservation = Pick<Tables['reservation'], 'status' | 'amount' | 'action' | 'reference'>

type WantedFacts = Facts & Wanted & { [Name in keyof ReadReservation]: ReadReservation[Name] | null }

const selectWantedFacts = preparedForList<Wanted, WantedFacts>(WANTED, (db, list) =>
  sql<WantedFacts>`
    with wanted (organization_id, reservation_id, now, latest) as (${list})
    select wanted.organization_id, wanted.reservation_id, plan, sequence, cycle_balance, purchased_balance,
      (select sum(amount) from reservation where ${isHeld}) as held,
      (select count(*) from reservation
        where ${isHeld} and (expires_at <= wanted.now or expires_at > wanted.latest)) as overdue,
      made.status as status, made.amount as amount, made.action as action, made.reference as reference
    from wanted
    join organization on organization.id = wanted.organization_id
    left join ledger_entry on ledger_entry.organization_id = organization.id and sequence =
      (select max(last.sequence) from ledger_entry as last where last.organization_id = organization.id)
    left join reservation as made on made.id = wanted.reservation_id`.compile(db),
)

/** Accounts in the hands of one transaction, and the reservations that were asked for with them. */
export interface Opened {
  accounts: Map<Id<'organization'>, Account>
  reservations: Map<string, ReadReservation>
}

/** As `openAccount`, for several at once: those that are not there any more are left out. */
export async function openAccounts(
  tx: Tx,
  book: PlanBook,
  asked: { organizationId: Id<'organization'>; reservationId: string | undefined }[],
  now: Millis,
): Promise<Opened> {
  const ids = [...new Set(asked.map(({ organizationId }) => organizationId))].sort()
  const locked = await lockAccounts(
    tx,
    ids.map((id) => ({ organization_id: id })),
  )
  const rows = new Map(locked.map((row) => [row.organization_id, row]))
  const wanted = asked.map(({ organizationId, reservationId = '' }) => ({
    ...{ organization_id: organizationId, reservation_id: reservationId, now, latest: latestExpiry(now) },
  }))
  let facts = await selectWantedFacts(tx, wanted)
  const isDue = new Set(
    facts.flatMap(({ organization_id: id, overdue }) => {
      const row = rows.get(id)
      if (row === undefined) return []
      const cycle = cycleAt(row.anchor_at, book.cycle, now)
      return Number(overdue) > 0 || cycle.start !== row.cycle_start || cycle.end !== row.cycle_end ? [id] : []
    }),
  )
  for (const id of isDue) {
    const { cycleGranted, cycleStart } = await openAccount(tx, book, id, now)
    rows.set(id, {
      ...rows.get(id),
      cycle_granted: cycleGranted,
      cycle_start: cycleStart,
    } as Tables['credit_account'])
  }
  if (isDue.size > 0) facts = await selectWantedFacts(tx, wanted)
  const opened: Opened = { accounts: new Map(), reservations: new Map() }
  for (const one of facts) {
    const row = rows.get(one.organization_id)
    if (row !== undefined && !opened.accounts.has(one.organization_id))
      opened.accounts.set(one.organization_id, toAccount(book, one.organization_id, one, row))
    if (one.status !== null) opened.reservations.set(one.reservation_id, one as ReadReservation)
  }
  return opened
}
