import { audit, type Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { endEntry } from './end-entry.ts'
import { lockAccount } from './lock-account.ts'

/**
 * Ends every session of an account, in all of its organizations, and every mailed link and code. The person can
 * sign in again. The caller clears the cache of credentials after the commit.
 * @returns how many sessions have ended; undefined where there is no such account
 */
export async function endSessionsOfAccount(
  tx: Tx,
  trail: Trail,
  { id }: { id: Id<'account'> },
): Promise<number | undefined> {
  // The lock waits for a sign-in under way, whose session is then ended, too.
  if ((await lockAccount(tx, id)) === undefined) return undefined
  const count = await endEntry(tx, trail, id)
  if (count > 0)
    await audit(tx, trail, {
      action: 'session.ended',
      accountId: id,
      targetId: id,
      details: { because: 'operator', count },
    })
  return count
}
