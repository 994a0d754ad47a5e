import { type Static, Type } from 'typebox'
import { type Millis, toIso } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import { planOf } from '../core/plans.ts'
import type { Db } from '../db/database.ts'
import { literal } from '../db/literal.ts'
import { LEDGER_KINDS } from '../db/tables/tables.ts'
import { callerOf } from '../http/principal.ts'
import { Page, PageQuery, readPage, toPage } from '../http/schema/list.ts'
import { Moment, Nullable, strict } from '../http/schema/validation.ts'
import type { Server } from '../http/server.ts'
import { latestExpiry, openAccount } from './credits/account.ts'
import type { LedgerEntry } from './credits/ledger.ts'
import type { BillingDeps } from './deps.ts'

const BalanceSchema = Type.Object({
  balance: Type.Integer({ description: 'What can be spent now.' }),
  reserved: Type.Integer({ description: 'Set aside for work under way.' }),
  cycleCredits: Type.Integer({
    description: 'Of both together: what ends with the cycle, and is spent first.',
  }),
  purchasedCredits: Type.Integer({ description: 'Of both together: what stays.' }),
  unlimited: Type.Boolean({ description: 'The plan has no limit: work takes nothing of the balance.' }),
  plan: Type.String(),
  creditsPerCycle: Nullable(Type.Integer()),
  cycle: Type.Object({ startedAt: Moment, renewsAt: Moment }),
})

const EntrySchema = Type.Object({
  id: Type.String(),
  kind: Type.String({ enum: [...LEDGER_KINDS] }),
  amount: Type.Integer({ description: 'Credits that came, or with a minus went.' }),
  balance: Type.Integer({ description: 'All credits after this entry, those set aside included.' }),
  cycleCredits: Type.Integer({ description: 'Of these: what ends with the cycle.' }),
  purchasedCredits: Type.Integer({ description: 'Of these: what stays.' }),
  price: Nullable(
    Type.Integer({ description: 'Of a debit: what the work cost, also where less or nothing was taken.' }),
  ),
  action: Nullable(Type.String()),
  reference: Nullable(Type.String({ description: 'The id of what the entry is about.' })),
  reason: Nullable(Type.String()),
  createdAt: Moment,
})

type BalanceDeps = Pick<BillingDeps, 'database' | 'book'>

/** What an organization has, and how it came to that. */
export function balanceRoutes(server: Server, deps: BalanceDeps): void {
  server.get(
    '/v1/billing/balance',
    {
      config: { access: 'member' },
      schema: {
        tags: ['Billing'],
        operationId: 'readBalance',
        summary: 'Read the balance',
        response: { 200: BalanceSchema },
      },
    },
    async (request) => readBalance(deps, callerOf(request).organizationId, request.now),
  )

  server.get(
    '/v1/billing/ledger',
    {
      config: { access: 'member' },
      schema: {
        tags: ['Billing'],
        operationId: 'listLedgerEntries',
        summary: 'List what changed the balance',
        querystring: strict(PageQuery),
        response: { 200: Page(EntrySchema) },
      },
    },
    async (request) => {
      const page = readPage(request.query)
      await findAccount(deps, callerOf(request).organizationId, request.now)
      const rows = await selectEntries(deps.database.db, callerOf(request).organizationId, page)
      return toPage(rows, page, toEntry)
    },
  )
}

/** The balance as it is shown. */
export async function readBalance(
  deps: BalanceDeps,
  organizationId: Id<'organization'>,
  now: Millis,
): Promise<Static<typeof BalanceSchema>> {
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

/** The account in its present cycle, which is begun if nobody has begun it. */
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
  await database.tx((tx) => openAccount(tx, book, organizationId, now))
  return find().executeTakeFirstOrThrow()
}

/** Newest first in the order in which they were written, whatever the clock said. */
export async function selectEntries(
  db: Db,
  organizationId: Id<'organization'>,
  { take, before }: { take: number; before: string | undefined },
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

/** An entry as it goes out. */
export function toEntry(row: LedgerEntry): Static<typeof EntrySchema> {
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
