import { attendEach } from '../core/attend-each.ts'
import type { Millis } from '../core/clock.ts'
import { type Clock, MINUTE } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import { createLoop, type Loop } from '../core/loop.ts'
import type { PlanBook } from '../core/plans.ts'
import type { Database, Db } from '../db/database.ts'
import { openAccount } from './credits/open-account.ts'
import type { Log } from './deps.ts'
import { endAtProvider } from './end-at-provider.ts'
import type { Payments } from './payments/payments.ts'

interface WorkerDeps {
  database: Database
  book: PlanBook
  payments: Payments
  clock: Clock
  log: Log
}

/** How late the worker renews an account; a request for its credits renews it at once. */
const EVERY: Millis = MINUTE
const STEP = 200

/**
 * Renews credits when a cycle begins, and ends subscriptions and checkouts at the provider, in the background. `stop` waits
 * for the work under way.
 */
export function createBillingWorker(deps: WorkerDeps): Loop {
  return createLoop({
    clock: deps.clock,
    every: EVERY,
    name: 'billing worker',
    log: deps.log,
    async run(isOver) {
      await renewDue(deps, isOver)
      await endAtProvider(deps, isOver)
    },
  })
}

/**
 * Begins the cycle of every account that has not begun it; an organization gets its account with its first request. A
 * failure does not hold up the others, and is tried again with the next run.
 */
async function renewDue({ database, book, clock, log }: WorkerDeps, isOver: () => boolean): Promise<void> {
  for (let failures = 0; failures === 0 && !isOver(); ) {
    const now = clock.now()
    const due = await selectDue(database.db, now)
    failures = await attendEach(
      due,
      async ({ organization_id: organizationId }) => {
        if (!isOver()) await database.tx((tx) => openAccount(tx, book, organizationId, now))
      },
      (error, { organization_id: organizationId }) => log.error({ err: error, organizationId }, 'renewal'),
    )
    if (due.length < STEP) return
  }
}

/** Accounts whose cycle is over, and, where the clock was set back, those whose cycle has not begun. */
async function selectDue(db: Db, now: Millis): Promise<{ organization_id: Id<'organization'> }[]> {
  const accounts = db.selectFrom('credit_account').select('organization_id')
  const over = await accounts.where('cycle_end', '<=', now).limit(STEP).execute()
  if (over.length > 0) return over
  // Before its anchor an account is in its first cycle already.
  return accounts.where('cycle_start', '>', now).where('anchor_at', '<=', now).limit(STEP).execute()
}
