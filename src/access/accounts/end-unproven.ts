import type { Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import { afterCommit, type Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import type { EndMade } from '../deps.ts'
import { organizationsOf } from './disable-account.ts'
import { endAdministration } from './end-administration.ts'
import { endEntry } from './end-entry.ts'

export interface EndingDeps {
  endMade: EndMade
  /** The cache that is cleared after the commit. */
  credentials: { clear: () => void }
}

/**
 * Ends all access to an account, and all that it made, before its mailbox was proven: its user may not have been the owner
 * of the address. Sessions, links, identities, API keys with what those made, pending invitations and connections go. The
 * memberships stay, because the address was invited. The account must be locked by `tx`.
 */
export async function endUnproven(
  tx: Tx,
  { endMade, credentials }: EndingDeps,
  trail: Trail,
  accountId: Id<'account'>,
): Promise<void> {
  // The lock waits for a transaction that makes something on one of them; the statements below then see it.
  await lock(tx, tx.selectFrom('membership').select('role').where('account_id', '=', accountId)).execute()
  await endEntry(tx, accountId)
  await tx.deleteFrom('identity').where('account_id', '=', accountId).execute()
  for (const organizationId of await organizationsOf(tx, accountId)) {
    const right = { organizationId, makerId: accountId, actorId: accountId }
    const makers = await endAdministration(tx, trail, right)
    await endMade(tx, trail, { organizationId, makers, actorId: accountId })
  }
  afterCommit(tx, credentials.clear)
}
