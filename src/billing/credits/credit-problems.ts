import { sql } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { pagesOf } from '../../core/pages.ts'
import { planOf } from '../../core/plans.ts'
import type { Db } from '../../db/database.ts'
import {
  MOST_COUNTED,
  type Problem,
  type ProblemContext,
  type ProblemSource,
} from '../../problems/problem.ts'
import { latestExpiry } from './open-account.ts'

/** Credits are low when at most this share of a cycle's credits can be spent. */
const LOW = 0.1
/** Accounts that one step reads. */
const STEP = 500

interface Account {
  organization_id: Id<'organization'>
  plan: string
  cycle_end: Millis
  balance: number | string | null
  moved_at: Millis | string | null
  held: number | string | null
}

/**
 * Organizations that can spend at most a tenth of a cycle's credits. Accounts whose cycle has ended are left out: the
 * next request begins the new cycle.
 */
export const creditProblems: ProblemSource = {
  kind: 'credits',
  permission: 'billing:read',
  async find(db, { organizationId }, context) {
    const rows = await readAccounts(db, context, { only: organizationId })
    return rows.flatMap((row) => problemOf(row, context) ?? [])
  },
  async count(db, context) {
    let count = 0
    let passed = 0
    const pages = pagesOf<Account>(STEP, (last) =>
      readAccounts(db, context, { after: last?.organization_id ?? ('' as Id<'organization'>) }),
    )
    for await (const rows of pages) {
      count += rows.filter((row) => problemOf(row, context) !== undefined).length
      passed += rows.length
      if (passed >= MOST_COUNTED) return { count, atLeast: true }
    }
    return { count, atLeast: false }
  },
}

/** The accounts in a current cycle, of one organization or a step of all. */
async function readAccounts(
  db: Db,
  { now }: ProblemContext,
  which: { only: Id<'organization'> } | { after: Id<'organization'> },
): Promise<Account[]> {
  const narrowed =
    'only' in which
      ? sql`account.organization_id = ${which.only}`
      : sql`account.organization_id > ${which.after}`
  const { rows } = await sql<Account>`
    select account.organization_id, organization.plan, account.cycle_end,
      last.cycle_balance + last.purchased_balance as balance, last.created_at as moved_at,
      (
        select sum(amount) from reservation
        where reservation.organization_id = account.organization_id and status = 'held'
          and expires_at > ${now} and expires_at <= ${latestExpiry(now)}
      ) as held
    from credit_account account
    join organization on organization.id = account.organization_id and organization.deleted_at is null
    left join ledger_entry last on last.organization_id = account.organization_id and last.sequence = (
      select max(sequence) from ledger_entry where organization_id = account.organization_id
    )
    where ${narrowed} and account.cycle_start <= ${now} and account.cycle_end > ${now}
    order by account.organization_id limit ${sql.lit(STEP)}`.execute(db)
  return rows
}

function problemOf(row: Account, { now, book }: ProblemContext): Problem | undefined {
  const { creditsPerCycle } = planOf(book, row.plan)
  const balance = Number(row.balance ?? 0) - Number(row.held ?? 0)
  if (creditsPerCycle === null || creditsPerCycle === 0 || balance > creditsPerCycle * LOW) return undefined
  return {
    ...{ id: 'credits', kind: 'credits', state: balance <= 0 ? 'used_up' : 'low' },
    ...{ subjectId: null, subject: null, reason: null },
    ...{ since: Number(row.moved_at ?? now), nextAt: Number(row.cycle_end) },
    ...{ waiting: null, failed: null, balance, exampleId: null },
  }
}
