import { audit, type Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Factor } from './factor-store.ts'

/** The confirmed passkey of an account by its credential id. */
export async function findPasskey(
  db: Db | Tx,
  accountId: Id<'account'>,
  credentialId: string,
): Promise<Factor | undefined> {
  return db
    .selectFrom('second_factor')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('credential_id', '=', credentialId)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst()
}

/**
 * Records the use of a passkey with a valid signature. A counter that has not grown shows a cloned device (WebAuthn 6.1.1); it is refused
 * with an audit entry. Synchronized passkeys have no counter and always send 0. The account must be locked by `tx`.
 */
export async function usePasskey(tx: Tx, trail: Trail, factor: Factor, counter: number): Promise<boolean> {
  const before = factor.counter ?? 0
  if ((counter > 0 || before > 0) && counter <= before) {
    await audit(tx, trail, {
      action: 'factor.cloned',
      accountId: factor.account_id,
      targetId: factor.id,
      details: { name: factor.name, counter, before },
    })
    return false
  }
  await tx
    .updateTable('second_factor')
    .set({ counter, last_used_at: trail.now })
    .where('id', '=', factor.id)
    .execute()
  return true
}
