import type { Millis } from '../core/clock.ts'
import { type Clock, MINUTE } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import type { PlanBook } from '../core/plans.ts'
import type { Database } from '../db/database.ts'
import { openAccount } from './account.ts'
import type { Log } from './deps.ts'
import type { Payments } from './payments.ts'

/** Renews credits when a cycle begins, and ends subscriptions at the provider, in the background. */
export interface BillingWorker {
  start(): void
  /** Ends after the work under way. */
  stop(): Promise<void>
}

interface WorkerDeps {
  database: Database
  book: PlanBook
  payments: Payments
  clock: Clock
  log: Log
}

/** How late a renewal may be for who does not ask; whoever asks renews on the spot. */
const EVERY: Millis = MINUTE
const STEP = 200

export function createBillingWorker(deps: WorkerDeps): BillingWorker {
  const { clock, log } = deps
  let stopped = false
  let cancel = () => {}
  let running: Promise<void> = Promise.resolve()

  function schedule(delay: Millis): void {
    if (stopped) return
    cancel = clock.after(delay, () => {
      running = work().catch((error: unknown) => log.error({ err: error }, 'billing worker'))
      void running.then(() => schedule(EVERY))
    })
  }

  async function work(): Promise<void> {
    await renewDue(deps, () => stopped)
    await cancelEnding(deps)
  }

  return {
    start: () => schedule(0),
    async stop() {
      stopped = true
      cancel()
      await running
    },
  }
}

/** Begins the cycle of every organization that has not begun it; one that fails does not keep the others. */
async function renewDue({ database, book, clock, log }: WorkerDeps, isOver: () => boolean): Promise<void> {
  let after = '' as Id<'organization'>
  for (;;) {
    const now = clock.now()
    const due = await database.db
      .selectFrom('organization')
      .leftJoin('credit_account', 'credit_account.organization_id', 'organization.id')
      .select('organization.id')
      .where('organization.id', '>', after)
      .where((where) =>
        where.or([
          where('credit_account.organization_id', 'is', null),
          where('credit_account.cycle_end', '<=', now),
          // The clock was set back: the present cycle may be one that nobody began.
          where('credit_account.cycle_start', '>', now),
        ]),
      )
      .orderBy('organization.id')
      .limit(STEP)
      .execute()
    for (const { id } of due) {
      if (isOver()) return
      await database
        .tx((tx) => openAccount(tx, book, id, now))
        .catch((error: unknown) => log.error({ err: error, organizationId: id }, 'renewal'))
    }
    const last = due.at(-1)
    if (last === undefined || due.length < STEP) return
    after = last.id
  }
}

/** Tells the provider of subscriptions that another plan took the place of; until it has heard, again and again. */
async function cancelEnding({ database, payments, clock, log }: WorkerDeps): Promise<void> {
  const ending = await database.db
    .selectFrom('subscription')
    .select('id')
    .where('status', '=', 'ending')
    .limit(STEP)
    .execute()
  for (const { id } of ending) {
    try {
      await payments.cancel(id)
      await database.tx((tx) =>
        tx
          .updateTable('subscription')
          .set({ status: 'ended', updated_at: clock.now() })
          .where('id', '=', id)
          .execute(),
      )
    } catch (error) {
      const { type, statusCode } = error as { type?: string; statusCode?: number }
      log.error(
        { subscription: id, type, statusCode },
        'a subscription could not be ended; tried again in a minute',
      )
    }
  }
}
