import type { Clock } from '../core/clock.ts'
import { forEachPagedDespiteErrors } from '../core/for-each-despite-errors.ts'
import type { Database, Tx } from '../db/database.ts'
import { keysetAfter } from '../db/keyset.ts'
import { literal } from '../db/literal.ts'
import type { Tables } from '../db/tables/tables.ts'
import type { Log } from './deps.ts'
import type { Payments } from './payments/payments.ts'

interface EndingDeps {
  database: Database
  payments: Payments
  clock: Clock
  log: Log
}

/** Rows of one page. */
const STEP = 200

/** What has ended here and is to be ended at the provider. */
interface Ending<Row> {
  read(after: Row | undefined): Promise<Row[]>
  /** Ends it at the provider. One that has ended there already is no error. */
  tell(row: Row): Promise<void>
  /** Notes that it has ended there. */
  note(tx: Tx, row: Row): Promise<unknown>
  /** The line of the log for a failure. */
  failed: string
}

/**
 * Ends at the provider what has ended here: replaced subscriptions, and the subscriptions and open checkouts of deleted
 * organizations. Each is tried with every run until it succeeds. Where the provider does not answer, the others wait for
 * the next run.
 */
export async function endAtProvider(deps: EndingDeps, isOver: () => boolean): Promise<void> {
  let isAway = false

  function end<Row extends { id: string }>({ read, tell, note, failed }: Ending<Row>): Promise<void> {
    return forEachPagedDespiteErrors(
      { read, most: STEP, isOver: () => isAway || isOver() },
      async (row) => {
        await tell(row)
        await deps.database.patient.tx((tx) => note(tx, row))
      },
      (error, { id }) => {
        const { type, statusCode = 0 } = error as { type?: string; statusCode?: number }
        deps.log.error({ id, type, statusCode: statusCode || undefined }, failed)
        isAway = statusCode === 0 || statusCode === 429 || statusCode >= 500
      },
    )
  }

  await end(subscriptionsToEnd(deps))
  await end(checkoutsToClose(deps))
}

function subscriptionsToEnd({
  database,
  payments,
  clock,
}: EndingDeps): Ending<Pick<Tables['subscription'], 'id'>> {
  return {
    read: (after) =>
      database.db
        .selectFrom('subscription')
        .select('id')
        .where('status', '=', literal('ending'))
        .where('id', '>', after?.id ?? '')
        .orderBy('id')
        .limit(STEP)
        .execute(),
    tell: ({ id }) => payments.cancel(id),
    note: (tx, { id }) =>
      tx
        .updateTable('subscription')
        .set({ status: 'ended', updated_at: clock.now() })
        .where('id', '=', id)
        .execute(),
    failed: 'a subscription could not be ended; tried again in a minute',
  }
}

/** After its time a checkout has ended at the provider by itself. */
function checkoutsToClose({
  database,
  payments,
  clock,
}: EndingDeps): Ending<Pick<Tables['checkout'], 'id' | 'provider_reference' | 'expires_at'>> {
  return {
    read: (after) =>
      database.db
        .selectFrom('checkout')
        .select(['id', 'provider_reference', 'expires_at'])
        .where('closing', '=', literal(1))
        .where('provider', '=', payments.name)
        .where('expires_at', '>', clock.now())
        .where(keysetAfter(['expires_at', 'id'], after))
        .orderBy('expires_at')
        .orderBy('id')
        .limit(STEP)
        .execute(),
    tell: ({ provider_reference }) => payments.close(provider_reference ?? ''),
    note: (tx, { id }) => tx.updateTable('checkout').set({ closing: 0 }).where('id', '=', id).execute(),
    failed: 'a checkout could not be closed; tried again in a minute',
  }
}
