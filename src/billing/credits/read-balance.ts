import { type Millis, toIso } from '../../core/clock.ts'
import { repeatable } from '../../core/context.ts'
import type { Id } from '../../core/id.ts'
import { type PlanBook, planOf } from '../../core/plans.ts'
import type { Database, Db } from '../../db/database.ts'
import { literal } from '../../db/literal.ts'
import type { LedgerEntry } from './ledger.ts'
import { latestExpiry, openAccount } from './open-account.ts'

interface BalanceDeps {
  database: Database
  book: PlanBook
}

/** The credits of an organization. */
interface Balance {
  /** Credits that can be spent now. */
  balance: number
  /** Credits in reservations. */
  reserved: number
  /** The two parts of all credits: credits that expire with the cycle, and purchased ones. */
  cycleCredits: number
  purchasedCredits: number
  unlimited: boolean
  plan: string
  creditsPerCycle: number | null
  cycle: { startedAt: string; renewsAt: string }
}

/** An entry of the ledger. */
interface Entry {
  id: string
  kind: LedgerEntry['kind']
  amount: number
  /** All credits after the entry, and their two parts. */
  balance: number
  cycleCredits: number
  purchasedCredits: number
  price: number | null
  action: string | null
  reference: string | null
  reason: string | null
  createdAt: string
}

interface PageOfEntries {
  take: number
  /** The id of the entry after which the page begins. */
  before: string | undefined
}

/** The balance as the API shows it. */
export async function readBalance(
  deps: BalanceDeps,
  organizationId: Id<'organization'>,
  now: Millis,
): Promise<Balance> {
  const { cycle_start, cycle_end } = await findAccount(deps, organizationId, now)
  const { db } = deps.database
  const organization = await db
    .selectFrom('organization')
    .select((select) => [
      'plan',
      select
        .selectFrom('reservation')
        .select(({ fn }) => fn.sum<number | string | null>('amount').as('held'))
        .where('organization_id', '=', organizationId)
        .where('status', '=', literal('held'))
        .where('expires_at', '>', now)
        .where('expires_at', '<=', latestExpiry(now))
        .as('held'),
    ])
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow()
  const [last] = await selectEntries(db, organizationId, { take: 1, before: undefined })
  const { creditsPerCycle } = planOf(deps.book, organization.plan)
  const [cycleCredits, purchasedCredits] = [last?.cycle_balance ?? 0, last?.purchased_balance ?? 0]
  const reserved = Number(organization.held ?? 0)
  return {
    balance: cycleCredits + purchasedCredits - reserved,
    reserved,
    cycleCredits,
    purchasedCredits,
    unlimited: creditsPerCycle === null,
    plan: organization.plan,
    creditsPerCycle,
    cycle: { startedAt: toIso(cycle_start), renewsAt: toIso(cycle_end) },
  }
}

/** The account in its current cycle, which begins if it is due. */
async function findAccount(
  { database, book }: BalanceDeps,
  organizationId: Id<'organization'>,
  now: Millis,
): Promise<{ cycle_start: Millis; cycle_end: Millis }> {
  const find = () =>
    database.db
      .selectFrom('credit_account')
      .select(['cycle_start', 'cycle_end'])
      .where('organization_id', '=', organizationId)
  const known = await find().executeTakeFirst()
  if (known !== undefined && known.cycle_start <= now && now < known.cycle_end) return known
  await repeatable(() => database.tx((tx) => openAccount(tx, book, organizationId, now)))
  return find().executeTakeFirstOrThrow()
}

/** Begins the current cycle of an organization if it is due, so that the ledger has its entries. */
export async function openCycle(
  deps: BalanceDeps,
  organizationId: Id<'organization'>,
  now: Millis,
): Promise<void> {
  await findAccount(deps, organizationId, now)
}

/** Entries, the last written first, even if the clock was set back. */
export async function selectEntries(
  db: Db,
  organizationId: Id<'organization'>,
  { take, before }: PageOfEntries,
): Promise<LedgerEntry[]> {
  return db
    .selectFrom('ledger_entry')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .$if(before !== undefined, (query) =>
      query.where('sequence', '<', (where) =>
        where
          .selectFrom('ledger_entry as last')
          .select('last.sequence')
          .where('last.organization_id', '=', organizationId)
          .where('last.id', '=', before as Id<'ledgerEntry'>),
      ),
    )
    .orderBy('sequence', 'desc')
    .limit(take)
    .execute()
}

/** An entry as the API shows it. */
export function toEntry(row: LedgerEntry): Entry {
  return {
    id: row.id,
    kind: row.kind,
    amount: row.cycle_amount + row.purchased_amount,
    balance: row.cycle_balance + row.purchased_balance,
    cycleCredits: row.cycle_balance,
    purchasedCredits: row.purchased_balance,
    price: row.price,
    action: row.action,
    reference: row.reference,
    reason: row.reason,
    createdAt: toIso(row.created_at),
  }
}
