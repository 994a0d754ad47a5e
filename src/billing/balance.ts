import { Type } from 'typebox'
import { LEDGER_KINDS } from '../db/tables/tables.ts'
import { callerOf } from '../http/principal.ts'
import { Page, PageQuery, readPage, toPage } from '../http/schema/list.ts'
import { Moment, Nullable, strict } from '../http/schema/validation.ts'
import type { Server } from '../http/server.ts'
import { readBalance, readEntries, toEntry } from './credits/read-balance.ts'
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

/** What an organization has, and how it came to that. */
export function balanceRoutes(server: Server, deps: Pick<BillingDeps, 'database' | 'book'>): void {
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
      const page = readPage('ledgerEntry', request.query)
      const { organizationId } = callerOf(request)
      const asked = { take: page.take, before: page.cursor }
      const rows = await readEntries(deps, organizationId, asked, request.now)
      return toPage(rows, page, toEntry)
    },
  )
}
