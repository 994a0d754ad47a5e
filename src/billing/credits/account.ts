import { sql } from 'kysely'
import { type Millis, toIso } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { LIFETIME } from '../../core/limits.ts'
import { type Plan, type PlanBook, planOf } from '../../core/plans.ts'
import type { Db, Tx } from '../../db/database.ts'
import { prepared } from '../../db/engine/prepared.ts'
import { literal } from '../../db/literal.ts'
import { notFound } from '../../db/owned-row.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { cycleAt } from './cycle.ts'
import { append, findEntry, type Standing } from './ledger.ts'

/** An organization's credits in the hands of one transaction: nobody else moves them until it ends. */
export interface Account extends Standing {
  plan: Plan
  /** Set aside for work under way; never more than the balance. */
  held: number
  cycleGranted: number
  cycleStart: Millis
}

interface ById {
  organizationId: Id<'organization'>
}

/** The row that is locked; made at first use. An upsert locks it on either engine. */
const lockAccount = prepared<ById>()((db, value) =>
  sql<Tables['credit_account']>`
    insert into credit_account (organization_id, anchor_at, cycle_start, cycle_end, cycle_granted)
    select id, created_at, 0, 0, 0 from organization where id = ${value('organizationId')} and deleted_at is null
    on conflict (organization_id) do update set anchor_at = credit_account.anchor_at
    returning *`.compile(db),
)

/**
 * Until when a reservation may be made out at `now`, at most; what goes on for longer was made before the clock was set
 * back, and would be stuck until it is there again.
 */
export function latestExpiry(now: Millis): Millis {
  return now + 2 * LIFETIME.creditReservation
}

const expireReservations = prepared<ById & { now: Millis; latest: Millis }>()((db, value) =>
  db
    .updateTable('reservation')
    .set({ status: 'expired' })
    .where('organization_id', '=', value('organizationId'))
    .where('status', '=', literal('held'))
    .where((where) =>
      where.or([where('expires_at', '<=', value('now')), where('expires_at', '>', value('latest'))]),
    ),
)

/** What an account is made of. */
export interface Facts {
  plan: string
  sequence: number | null
  cycle_balance: number | null
  purchased_balance: number | null
  held: number | string | null
  overdue: number
}

/** Of the reservations of `organization`. */
export const isHeld = sql`reservation.organization_id = organization.id and status = 'held'`

/** What an account is made of, by one statement: on PostgreSQL each is a journey that whoever else moves credits waits for. */
const selectFacts = prepared<ById & { now: Millis; latest: Millis }>()((db, value) =>
  sql<Facts>`
    select plan, sequence, cycle_balance, purchased_balance,
      (select sum(amount) from reservation where ${isHeld}) as held,
      (select count(*) from reservation
        where ${isHeld} and (expires_at <= ${value('now')} or expires_at > ${value('latest')})) as overdue
    from organization
    left join ledger_entry on ledger_entry.organization_id = organization.id and sequence =
      (select max(sequence) from ledger_entry where organization_id = organization.id)
    where organization.id = ${value('organizationId')}`.compile(db),
)

/**
 * Locks an organization's credits for this transaction, ends the reservations whose time is over, and renews the
 * credits if a new cycle has begun: whoever comes first in a cycle does it, request or background job.
 * @throws ApiError ENTITY_NOT_FOUND when there is no such organization, or not any more
 */
export async function openAccount(
  tx: Tx,
  book: PlanBook,
  organizationId: Id<'organization'>,
  now: Millis,
): Promise<Account> {
  const [row] = await lockAccount(tx, { organizationId })
  const facts = await readFacts(tx, { organizationId, now, latest: latestExpiry(now) })
  if (row === undefined || facts === undefined) throw notFound('organizationId', organizationId)
  const account = toAccount(book, organizationId, facts, row)
  const cycle = cycleAt(row.anchor_at, book.cycle, now)
  if (cycle.start !== row.cycle_start || cycle.end !== row.cycle_end) await renew(tx, account, cycle, now)
  return account
}

/** An account of its locked row, and of what was read under that lock. */
export function toAccount(
  book: PlanBook,
  organizationId: Id<'organization'>,
  facts: Facts,
  row: Pick<Tables['credit_account'], 'cycle_granted' | 'cycle_start'>,
): Account {
  return {
    organizationId,
    plan: planOf(book, facts.plan),
    sequence: facts.sequence ?? 0,
    cycleBalance: facts.cycle_balance ?? 0,
    purchasedBalance: facts.purchased_balance ?? 0,
    held: Number(facts.held ?? 0),
    cycleGranted: row.cycle_granted,
    cycleStart: row.cycle_start,
  }
}

/** Where some reservations were held for longer than they may, they are ended first. */
async function readFacts(tx: Tx, values: ById & { now: Millis; latest: Millis }): Promise<Facts | undefined> {
  const [facts] = await selectFacts(tx, values)
  if (facts === undefined || Number(facts.overdue) === 0) return facts
  await expireReservations(tx, values)
  return (await selectFacts(tx, values))[0]
}

/** Whether an organization is there in the records alone. */
export async function isDeleted(tx: Db | Tx, organizationId: Id<'organization'>): Promise<boolean> {
  const row = await tx
    .selectFrom('organization')
    .select('deleted_at')
    .where('id', '=', organizationId)
    .executeTakeFirst()
  return row?.deleted_at != null
}

/** What can be spent. */
export function available({ cycleBalance, purchasedBalance, held }: Account): number {
  return cycleBalance + purchasedBalance - held
}

/** How an amount is taken: from the credits that end with the cycle first. */
export function takeFrom(
  { cycleBalance }: Standing,
  amount: number,
): { cycleAmount: number; purchasedAmount: number } {
  const cycle = Math.min(amount, cycleBalance)
  // Not -0, which is no integer that a column could hold.
  return { cycleAmount: 0 - cycle, purchasedAmount: 0 - (amount - cycle) }
}

/**
 * Begins a cycle: what is left of the last one's credits ends, and the plan's come. A cycle is renewed once, whatever
 * the clock does: its entry's key is the moment at which it begins. Cycles that passed while nobody looked are not made
 * up for: their credits would have ended with them. What is set aside for work under way stays until that has ended.
 */
async function renew(
  tx: Tx,
  account: Account,
  cycle: { start: Millis; end: Millis },
  now: Millis,
): Promise<void> {
  const { organizationId } = account
  const name = toIso(cycle.start)
  const allotment = account.plan.creditsPerCycle ?? 0
  if ((await findEntry(tx, organizationId, `renewal:${name}`)) === undefined) {
    const lapsed = account.cycleBalance - Math.min(account.cycleBalance, account.held)
    if (lapsed > 0)
      await append(tx, account, { key: `expiry:${name}`, kind: 'expiry', cycleAmount: -lapsed }, now)
    await append(tx, account, { key: `renewal:${name}`, kind: 'renewal', cycleAmount: allotment }, now)
  }
  await tx
    .updateTable('credit_account')
    .set({ cycle_start: cycle.start, cycle_end: cycle.end, cycle_granted: allotment })
    .where('organization_id', '=', organizationId)
    .execute()
  account.cycleStart = cycle.start
  account.cycleGranted = allotment
}
