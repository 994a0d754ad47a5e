import { sql } from 'kysely'
import { DAY, type Millis, turn } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Db } from '../../db/database.ts'
import { WINDOW } from '../../db/windows.ts'
import type { LedgerEntry } from './ledger.ts'

/** The filters of a list; an undefined member matches every entry. */
interface EntryFilter {
  since?: Millis | undefined
  until?: Millis | undefined
  action?: string | undefined
}

/** Positions in a ledger, from `from` (inclusive) to `before` (exclusive). */
interface PositionRange {
  from: number
  before: number
}

/**
 * A wrong clock can give an entry a moment that does not match its position; larger differences are not searched for.
 */
const DISORDER: Millis = DAY

function ofSpan(
  db: Db,
  organizationId: Id<'organization'>,
  { since, until }: EntryFilter,
  places: PositionRange,
) {
  return db
    .selectFrom('ledger_entry')
    .where('organization_id', '=', organizationId)
    .where('sequence', '>=', places.from)
    .where('sequence', '<', places.before)
    .$if(since !== undefined, (query) => query.where('created_at', '>=', since ?? 0))
    .$if(until !== undefined, (query) => query.where('created_at', '<', until ?? 0))
}

/**
 * Windows of a ledger, newest first, back to the oldest that may have entries of the span; other work gets a turn
 * between them.
 */
async function* windowsOf(
  db: Db,
  organizationId: Id<'organization'>,
  { since = 0 }: EntryFilter,
  before: number,
): AsyncGenerator<PositionRange, void, undefined> {
  for (let end = before; end > 1; end -= WINDOW) {
    const places = { from: Math.max(1, end - WINDOW), before: end }
    yield places
    const [oldest] = await placeAt(db, organizationId, places.from)
    if (oldest === undefined || oldest.created_at < since - DISORDER) return
    await turn()
  }
}

function placeAt(db: Db, organizationId: Id<'organization'>, sequence: number) {
  return db
    .selectFrom('ledger_entry')
    .select('created_at')
    .where('organization_id', '=', organizationId)
    .where('sequence', '=', sequence)
    .execute()
}

/** The position after the last entry, or that of the entry `id`. */
async function endOf(db: Db, organizationId: Id<'organization'>, id?: string): Promise<number> {
  const ofOrganization = db
    .selectFrom('ledger_entry')
    .select('sequence')
    .where('organization_id', '=', organizationId)
  if (id !== undefined)
    return (await ofOrganization.where('id', '=', id as Id<'ledgerEntry'>).executeTakeFirst())?.sequence ?? 0
  const last = await ofOrganization.orderBy('sequence', 'desc').limit(1).executeTakeFirst()
  return (last?.sequence ?? 0) + 1
}

/** A page of filtered entries, the last written first. */
export async function seekEntries(
  db: Db,
  organizationId: Id<'organization'>,
  filter: EntryFilter,
  { take, before }: { take: number; before: string | undefined },
): Promise<LedgerEntry[]> {
  const rows: LedgerEntry[] = []
  const end = await endOf(db, organizationId, before)
  for await (const places of windowsOf(db, organizationId, filter, end)) {
    const { action } = filter
    const found = await ofSpan(db, organizationId, filter, places)
      .selectAll()
      .$if(action !== undefined, (query) => query.where('action', '=', action ?? ''))
      .orderBy('sequence', 'desc')
      .limit(take - rows.length)
      .execute()
    rows.push(...found)
    if (rows.length === take) break
  }
  return rows
}

/** The sums of one day. */
interface DaySum {
  /** Days since 1970-01-01, UTC. */
  day: number
  credited: number
  debited: number
  entries: number
  /** The position of its last entry. */
  last: number
}

/** The sums of each day of a span with entries. */
export async function sumDays(
  db: Db,
  organizationId: Id<'organization'>,
  filter: Required<Pick<EntryFilter, 'since' | 'until'>>,
): Promise<Map<number, DaySum>> {
  const days = new Map<number, DaySum>()
  const end = await endOf(db, organizationId)
  const day = sql<number | string>`created_at / ${sql.lit(DAY)}`
  const amount = sql`(cycle_amount + purchased_amount)`
  for await (const places of windowsOf(db, organizationId, filter, end)) {
    const rows = await ofSpan(db, organizationId, filter, places)
      .select(({ fn }) => [
        day.as('day'),
        sql<number | string>`sum(case when ${amount} > 0 then ${amount} else 0 end)`.as('credited'),
        sql<number | string>`sum(case when ${amount} < 0 then -${amount} else 0 end)`.as('debited'),
        fn.countAll<number | string>().as('entries'),
        fn.max<number | string>('sequence').as('last'),
      ])
      .groupBy(day)
      .execute()
    for (const row of rows) {
      const known = days.get(Number(row.day))
      days.set(Number(row.day), {
        day: Number(row.day),
        credited: (known?.credited ?? 0) + Number(row.credited),
        debited: (known?.debited ?? 0) + Number(row.debited),
        entries: (known?.entries ?? 0) + Number(row.entries),
        last: Math.max(known?.last ?? 0, Number(row.last)),
      })
    }
  }
  return days
}

/** The balances after some entries, by position. */
export async function balancesAt(
  db: Db,
  organizationId: Id<'organization'>,
  places: number[],
): Promise<Map<number, number>> {
  if (places.length === 0) return new Map()
  const rows = await db
    .selectFrom('ledger_entry')
    .select(['sequence', 'cycle_balance', 'purchased_balance'])
    .where('organization_id', '=', organizationId)
    .where('sequence', 'in', places)
    .execute()
  return new Map(rows.map((row) => [row.sequence, row.cycle_balance + row.purchased_balance]))
}

/** The balance before a moment: that of the last older entry. */
export async function balanceBefore(
  db: Db,
  organizationId: Id<'organization'>,
  moment: Millis,
): Promise<number> {
  const [last] = await seekEntries(db, organizationId, { until: moment }, { take: 1, before: undefined })
  return last === undefined ? 0 : last.cycle_balance + last.purchased_balance
}
