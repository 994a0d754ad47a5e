import type { Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { endGrants } from './end-grants.ts'

/**
 * Ends every open or pending access to an account: its sessions with their tokens, its grants to clients, mailed links and codes, and
 * sign-ins that wait for a second factor. The account must be locked by `tx`. The caller clears the cache of credentials after the commit.
 * @param keep the session of the caller, which does not end
 * @returns how many sessions have ended
 */
export async function endEntry(
  tx: Tx,
  trail: Trail,
  accountId: Id<'account'>,
  { keep }: { keep?: Id<'session'> } = {},
): Promise<number> {
  const ended = await tx
    .deleteFrom('session')
    .where('account_id', '=', accountId)
    .$if(keep !== undefined, (query) => query.where('id', '!=', keep as Id<'session'>))
    .returning('id')
    .execute()
  await endGrants(tx, trail, { accountId }, { actorId: accountId, because: 'sessions' })
  await tx.deleteFrom('one_time_token').where('account_id', '=', accountId).execute()
  await tx.deleteFrom('pending_sign_in').where('account_id', '=', accountId).execute()
  await tx.deleteFrom('passkey_challenge').where('account_id', '=', accountId).execute()
  return ended.length
}
