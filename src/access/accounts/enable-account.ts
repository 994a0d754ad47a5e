import { audit, type Trail } from '../../audit/audit.ts'
import type { Tx } from '../../db/database.ts'
import type { Account } from './accounts.ts'

/**
 * Lets a disabled account in again, with the memberships and the password it had.
 * @returns whether it was disabled
 */
export async function enableAccount(tx: Tx, trail: Trail, account: Pick<Account, 'id'>): Promise<boolean> {
  const enabled = await tx
    .updateTable('account')
    .set({ status: 'active', updated_at: trail.now })
    .where('id', '=', account.id)
    .where('status', '=', 'disabled')
    .returning('id')
    .executeTakeFirst()
  if (enabled === undefined) return false
  await audit(tx, trail, { action: 'account.enabled', accountId: account.id, targetId: account.id })
  return true
}
