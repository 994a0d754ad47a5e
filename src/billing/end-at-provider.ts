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

/** Rows that have ended here and must be ended at the provider. */
interface Ending<Row> {
  read(after: Row | undefined): Promise<Row[]>
  /** Ends the row at the provider. A row that has ended there already is no error. */
  endRemote(row: Row): Promise<void>
  /** Records that it has ended there. */
  record(tx: Tx, row: Row): Promise<unknown>
  /** The log message of a failure. */
  failed: string
}

/**
 * Ends replaced subscriptions, and the subscriptions and open checkouts of deleted organizations, at the provider. Each
 * is tried in every run until it succeeds. Where the provider does not answer, the remaining ones wait for the next
 * run.
 */
export async function endAtProvider(deps: EndingDeps, isOver: () => boolean): Promise<void> {
  let isAway = false

  function end<Row extends { id: string }>({ read, endRemote, record, failed }: Ending<Row>): Promise<void> {
    return forEachPagedDespiteErrors(
      { read, most: STEP, isOver: () => isAway || isOver() },
      async (row) => {
        await endRemote(row)
        await deps.database.patient.tx((tx) => record(tx, row))
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
    endRemote: ({ id }) => payments.cancel(id),
    record: (tx, { id }) =>
      tx
        .updateTable('subscription')
        .set({ status: 'ended', updated_at: clock.now() })
        .where('id', '=', id)
        .execute(),
    failed: 'a subscription could not be ended; tried again in a minute',
  }
}

/** Open checkouts of deleted organizations. After its lifetime a checkout has ended at the provider anyway. */
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
    endRemote: ({ provider_reference }) => payments.close(provider_reference ?? ''),
    record: (tx, { id }) => tx.updateTable('checkout').set({ closing: 0 }).where('id', '=', id).execute(),
    failed: 'a checkout could not be closed; tried again in a minute',
  }
}
