import { audit, type Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { endGrants } from './end-grants.ts'

interface EndedSessions {
  organizationId: Id<'organization'>
  accountId: Id<'account'>
  actorId: string
}

/**
 * Ends a member's present sessions for one organization, and the member's grants to clients there: the sessions get no more tokens for
 * it, and earlier tokens are refused. The sessions continue for other organizations. `tx` must have locked the account, so that a sign-in
 * under way is counted. The caller clears the cache of credentials after the commit.
 * @returns how many sessions have ended
 */
export async function endSessionsOfMember(
  tx: Tx,
  trail: Trail,
  { organizationId, accountId, actorId }: EndedSessions,
): Promise<number> {
  await endGrants(tx, trail, { accountId, organizationId }, { actorId, because: 'sessions' })
  const sessions = await tx
    .selectFrom('session')
    .select('id')
    .where('account_id', '=', accountId)
    .where('expires_at', '>', trail.now)
    .execute()
  if (sessions.length === 0) return 0
  const ended = await tx
    .insertInto('session_exclusion')
    .values(
      sessions.map(({ id }) => ({
        session_id: id,
        organization_id: organizationId,
        created_at: trail.now,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning('session_id')
    .execute()
  if (ended.length === 0) return 0
  await audit(tx, trail, {
    action: 'session.ended',
    organizationId,
    accountId,
    actorId,
    targetId: accountId,
    details: { because: 'administrator', count: ended.length },
  })
  return ended.length
}
