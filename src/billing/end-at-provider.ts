import type { Clock } from '../core/clock.ts'
import type { Database } from '../db/database.ts'
import { literal } from '../db/literal.ts'
import type { Log } from './deps.ts'
import type { Payments } from './payments/payments.ts'

interface EndingDeps {
  database: Database
  payments: Payments
  clock: Clock
  log: Log
}

/** Rows of each kind in one run. */
const STEP = 200

interface Task {
  id: string
  /** Ends it at the provider. One that has ended there already is no error. */
  tell: () => Promise<void>
  /** Notes that it has ended there. */
  note: () => Promise<unknown>
  /** The line of the log for a failure. */
  failed: string
}

/**
 * Ends at the provider what has ended here: replaced subscriptions, and the subscriptions and open checkouts of deleted
 * organizations. Each is tried with every run until it succeeds. Where the provider does not answer, the others wait for
 * the next run.
 */
export async function endAtProvider(deps: EndingDeps, isOver: () => boolean): Promise<void> {
  for (const { id, tell, note, failed } of [
    ...(await subscriptionsToEnd(deps)),
    ...(await checkoutsToClose(deps)),
  ]) {
    if (isOver()) return
    try {
      await tell()
      await note()
    } catch (error) {
      const { type, statusCode = 0 } = error as { type?: string; statusCode?: number }
      deps.log.error({ id, type, statusCode: statusCode || undefined }, failed)
      if (statusCode === 0 || statusCode === 429 || statusCode >= 500) return
    }
  }
}

async function subscriptionsToEnd({ database, payments, clock }: EndingDeps): Promise<Task[]> {
  const ending = await database.db
    .selectFrom('subscription')
    .select('id')
    .where('status', '=', literal('ending'))
    .limit(STEP)
    .execute()
  return ending.map(({ id }) => ({
    id,
    tell: () => payments.cancel(id),
    note: () =>
      database.tx((tx) =>
        tx
          .updateTable('subscription')
          .set({ status: 'ended', updated_at: clock.now() })
          .where('id', '=', id)
          .execute(),
      ),
    failed: 'a subscription could not be ended; tried again in a minute',
  }))
}

/** After its time a checkout has ended at the provider by itself. */
async function checkoutsToClose({ database, payments, clock }: EndingDeps): Promise<Task[]> {
  const closing = await database.db
    .selectFrom('checkout')
    .select(['id', 'provider_reference'])
    .where('closing', '=', literal(1))
    .where('provider', '=', payments.name)
    .where('expires_at', '>', clock.now())
    .limit(STEP)
    .execute()
  return closing.map(({ id, provider_reference }) => ({
    id,
    tell: () => payments.close(provider_reference ?? ''),
    note: () =>
      database.tx((tx) => tx.updateTable('checkout').set({ closing: 0 }).where('id', '=', id).execute()),
    failed: 'a checkout could not be closed; tried again in a minute',
  }))
}
