import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'

/**
 * Removes all second factors of an account, with its recovery codes. The account must be locked by `tx`; the caller ends its sessions
 * (`endEntry`).
 * @returns how many factors there were
 */
export async function endFactors(tx: Tx, accountId: Id<'account'>): Promise<number> {
  const ended = await tx
    .deleteFrom('second_factor')
    .where('account_id', '=', accountId)
    .returning('confirmed_at')
    .execute()
  await tx.deleteFrom('recovery_code').where('account_id', '=', accountId).execute()
  await tx.updateTable('account').set({ second_factors: 0 }).where('id', '=', accountId).execute()
  return ended.filter(({ confirmed_at }) => confirmed_at !== null).length
}
