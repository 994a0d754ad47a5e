import type { Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import { afterCommit, type Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import { lockOrganization } from '../../organizations/organizations.ts'
import type { EndMade } from '../deps.ts'
import { endAdministration } from './end-administration.ts'
import { endEntry } from './end-entry.ts'
import { endFactors } from './end-factors.ts'
import { endKeys, organizationsWithTraces } from './end-keys.ts'

export interface EndingDeps {
  endMade: EndMade
  /** The cache that is cleared after the commit. */
  credentials: { clear: () => void }
}

/**
 * Ends all access to an account, and all that it made, before its mailbox was proven: its user may not have been the owner
 * of the address. Sessions, second factors, links, identities, API keys with what those made, pending invitations and connections go, in
 * organizations that the account has left, too. The memberships stay, because the address was invited. The account must be
 * locked by `tx`.
 */
export async function endUnproven(
  tx: Tx,
  { endMade, credentials }: EndingDeps,
  trail: Trail,
  accountId: Id<'account'>,
): Promise<void> {
  const organizations = await organizationsWithTraces(tx, accountId)
  for (const organizationId of organizations) await lockOrganization(tx, organizationId)
  // The locks wait for transactions that rest on one of these memberships, so that the statements below see their rows.
  await lock(tx, tx.selectFrom('membership').select('role').where('account_id', '=', accountId)).execute()
  await endEntry(tx, trail, accountId)
  await endFactors(tx, accountId)
  await tx.deleteFrom('identity').where('account_id', '=', accountId).execute()
  for (const organizationId of organizations) {
    const right = { organizationId, actorId: accountId }
    await endAdministration(tx, trail, { ...right, accountId })
    const keyIds = await endKeys(tx, trail, { ...right, withMade: true }, { madeBy: accountId })
    await endMade(tx, trail, { ...right, accountId, keyIds })
  }
  afterCommit(tx, credentials.clear)
}
