import type { Millis } from '../core/clock.ts'
import { type Clock, MINUTE } from '../core/clock.ts'
import { forEachPagedDespiteErrors } from '../core/for-each-despite-errors.ts'
import { createLoop, type Loop } from '../core/loop.ts'
import type { PlanBook } from '../core/plans.ts'
import type { Database, Db } from '../db/database.ts'
import { keysetAfter } from '../db/keyset.ts'
import type { Tables } from '../db/tables/tables.ts'
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

/** Longest delay of a renewal; a request for the account's credits renews it at once. */
const EVERY: Millis = MINUTE
const STEP = 200

/**
 * Renews credits when a cycle begins, and ends subscriptions and checkouts at the provider, in the background. `stop`
 * waits for the current work.
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
 * failure does not stop the others, and is retried in the next run.
 */
async function renewDue({ database, book, clock, log }: WorkerDeps, isOver: () => boolean): Promise<void> {
  const now = clock.now()
  for (const select of [selectOver, selectAhead])
    await forEachPagedDespiteErrors(
      { read: (after: Due | undefined) => select(database.background.db, now, after), most: STEP, isOver },
      ({ organization_id: organizationId }) =>
        // The transaction may wait for rows of the organization.
        database.patient.tx((tx) => openAccount(tx, book, organizationId, now)),
      (error, { organization_id: organizationId }) => log.error({ err: error, organizationId }, 'renewal'),
    )
}

type Due = Pick<Tables['credit_account'], 'organization_id' | 'cycle_start' | 'cycle_end'>

const dueAccounts = (db: Db) =>
  db.selectFrom('credit_account').select(['organization_id', 'cycle_start', 'cycle_end']).limit(STEP)

/** Accounts whose cycle has ended. */
function selectOver(db: Db, now: Millis, after: Due | undefined): Promise<Due[]> {
  return dueAccounts(db)
    .where('cycle_end', '<=', now)
    .where(keysetAfter(['cycle_end', 'organization_id'], after))
    .orderBy('cycle_end')
    .orderBy('organization_id')
    .execute()
}

/**
 * Accounts whose cycle lies in the future, because the clock was set back. Before its anchor an account is in its first
 * cycle already.
 */
function selectAhead(db: Db, now: Millis, after: Due | undefined): Promise<Due[]> {
  return dueAccounts(db)
    .where('cycle_start', '>', now)
    .where('anchor_at', '<=', now)
    .where(keysetAfter(['cycle_start', 'organization_id'], after))
    .orderBy('cycle_start')
    .orderBy('organization_id')
    .execute()
}
