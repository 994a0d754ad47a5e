import { DAY, fromIso, toIso } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { LEDGER_KINDS } from '../db/tables/tables.ts'
import { jsonOrCsv } from '../http/csv/list-export.ts'
import { callerOf } from '../http/principal.ts'
import { NoCursor, Page, PageQuery, type PageRequest, readPage, SpanQuery } from '../http/schema/list.ts'
import { Type } from '../http/schema/type.ts'
import { Moment, Nullable, strict } from '../http/schema/validation.ts'
import type { Server } from '../http/server.ts'
import { balanceBefore, balancesAt, seekEntries, sumDays } from './credits/ledger-span.ts'
import { openCycle, toEntry } from './credits/read-balance.ts'
import type { BillingDeps } from './deps.ts'

const EntrySchema = Type.Object({
  id: Type.String(),
  kind: Type.String({ enum: [...LEDGER_KINDS] }),
  amount: Type.Integer({ description: 'Credits that came, or with a minus went.' }),
  balance: Type.Integer({ description: 'All credits after this entry, those set aside included.' }),
  cycleCredits: Type.Integer({ description: 'The part that ends with the cycle.' }),
  purchasedCredits: Type.Integer({ description: 'The part that stays.' }),
  price: Nullable(
    Type.Integer({ description: 'For a debit: the price of the work, even if less or nothing was taken.' }),
  ),
  action: Nullable(Type.String()),
  reference: Nullable(Type.String({ description: 'The id of the subject of the entry.' })),
  reason: Nullable(Type.String()),
  createdAt: Moment,
})

const COLUMNS = ['id', 'createdAt', 'kind', 'amount', 'balance', 'cycleCredits', 'purchasedCredits'] as const
const MORE_COLUMNS = ['price', 'action', 'reference', 'reason'] as const

const DaySchema = Type.Object({
  date: Type.String({ format: 'date', examples: ['2026-11-20'] }),
  credited: Type.Integer({ description: 'Credits added on this day.' }),
  debited: Type.Integer({ description: 'Credits removed on this day.' }),
  entries: Type.Integer(),
  balance: Type.Integer({ description: 'All credits at its end, those set aside included.' }),
})

/** Most days of one answer, and the default. */
const [MOST_DAYS, USUAL_DAYS] = [366, 30]
/** The first day whose year has four digits. */
const FIRST_DAY = Math.floor((fromIso('0000-01-01T00:00:00Z') ?? 0) / DAY)

/** The ledger of an organization, by entry and by day. */
export function ledgerRoutes(
  server: Server,
  deps: Pick<BillingDeps, 'database' | 'book' | 'sendList'>,
): void {
  const { database, sendList } = deps

  server.get(
    '/v1/billing/ledger',
    {
      config: { access: 'billing:read' },
      schema: {
        tags: ['Billing'],
        operationId: 'listLedgerEntries',
        summary: 'List the entries of the ledger',
        querystring: strict({
          ...PageQuery,
          ...SpanQuery,
          action: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
        }),
        response: { 200: jsonOrCsv(Page(EntrySchema)) },
      },
    },
    async (request, reply) => {
      const { organizationId } = callerOf(request)
      const { action } = request.query
      const sought = { action, ...spanOf(request.query) }
      const first = readPage('ledgerEntry', request.query)
      await openCycle(deps, organizationId, request.now)
      const read = ({ take, cursor }: PageRequest<'ledgerEntry'>) =>
        seekEntries(database.db, organizationId, sought, { take, before: cursor })
      const columns = [...COLUMNS, ...MORE_COLUMNS]
      return sendList(request, reply, first, { name: 'ledger', columns, read, toWire: toEntry })
    },
  )

  server.get(
    '/v1/billing/ledger/daily',
    {
      config: { access: 'billing:read' },
      schema: {
        tags: ['Billing'],
        operationId: 'listLedgerDays',
        summary: 'Sum up the ledger by day',
        description: `The days (UTC) from \`since\` to \`until\`, oldest first, also days without entries; by default the last ${USUAL_DAYS}, ${MOST_DAYS} at most.`,
        querystring: strict(SpanQuery),
        response: { 200: Type.Object({ data: Type.Array(DaySchema), nextCursor: NoCursor }) },
      },
    },
    async (request) => {
      const { organizationId } = callerOf(request)
      const { since, until = request.now + 1 } = spanOf(request.query)
      const end = Math.ceil(until / DAY)
      const begin = since === undefined ? Math.max(FIRST_DAY, end - USUAL_DAYS) : Math.floor(since / DAY)
      if (end - begin > MOST_DAYS)
        throw new ApiError('VALIDATION_FAILED', { field: 'since', reason: 'too_many_days' })
      await openCycle(deps, organizationId, request.now)
      const { db } = database
      const sums = await sumDays(db, organizationId, { since: begin * DAY, until: end * DAY })
      const balances = await balancesAt(
        db,
        organizationId,
        [...sums.values()].map(({ last }) => last),
      )
      let balance = await balanceBefore(db, organizationId, begin * DAY)
      const data = Array.from({ length: Math.max(0, end - begin) }, (_, index) => {
        const { credited = 0, debited = 0, entries = 0, last } = sums.get(begin + index) ?? {}
        balance = (last === undefined ? undefined : balances.get(last)) ?? balance
        return { date: toIso((begin + index) * DAY).slice(0, 10), credited, debited, entries, balance }
      })
      return { data, nextCursor: null }
    },
  )
}

function spanOf({ since, until }: { since?: string; until?: string }) {
  return {
    ...(since === undefined ? {} : { since: fromIso(since) ?? 0 }),
    ...(until === undefined ? {} : { until: fromIso(until) ?? 0 }),
  }
}
