import type { Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { endInvitations } from './end-invitations.ts'

interface EndedRight {
  organizationId: Id<'organization'>
  /** Who loses the right to administer. */
  accountId: Id<'account'>
  /** Who ended it. */
  actorId: string | null
}

/**
 * Ends what rests on an account's right to administer when that right ends: its pending invitations. Service accounts and API
 * keys belong to the organization and stay; `endKeys` ends those that the account made.
 *
 * `tx` must have changed or locked the row on which the right rests, so that nothing else is made on it until the commit.
 */
export async function endAdministration(
  tx: Tx,
  trail: Trail,
  { accountId, ...right }: EndedRight,
): Promise<void> {
  await endInvitations(tx, trail, { ...right, inviter: accountId }, (where) =>
    where('inviter_id', '=', accountId),
  )
}
