import type { Millis } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import type { Tx } from '../db/database.ts'

/**
 * Ends an organization's reservations, subscriptions and open checkouts; its ledger and paid checkouts are kept. The
 * billing worker then ends the subscriptions and checkouts at the provider.
 */
export async function endBilling(tx: Tx, id: Id<'organization'>, now: Millis): Promise<void> {
  await tx
    .updateTable('checkout')
    .set({ status: 'expired', closing: 1 })
    .where('organization_id', '=', id)
    .where('status', '=', 'open')
    .execute()
  // In the order of other work, which locks the account before its reservations.
  await tx.deleteFrom('credit_account').where('organization_id', '=', id).execute()
  await tx.deleteFrom('reservation').where('organization_id', '=', id).execute()
  await tx
    .updateTable('subscription')
    .set({ status: 'ending', updated_at: now })
    .where('organization_id', '=', id)
    .where('status', '=', 'active')
    .execute()
}
