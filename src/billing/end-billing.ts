import type { Millis } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import type { Tx } from '../db/database.ts'

/**
 * Nothing is paid by an organization any more, or for it; its ledger and paid checkouts are kept. A running server tells
 * the provider that a subscription has ended, and that an open checkout is not to be paid.
 */
export async function endBilling(tx: Tx, id: Id<'organization'>, now: Millis): Promise<void> {
  await tx
    .updateTable('checkout')
    .set({ status: 'expired', closing: 1 })
    .where('organization_id', '=', id)
    .where('status', '=', 'open')
    .execute()
  // What is under way locks the account, and then what it holds of it.
  await tx.deleteFrom('credit_account').where('organization_id', '=', id).execute()
  await tx.deleteFrom('reservation').where('organization_id', '=', id).execute()
  await tx
    .updateTable('subscription')
    .set({ status: 'ending', updated_at: now })
    .where('organization_id', '=', id)
    .where('status', '=', 'active')
    .execute()
}
