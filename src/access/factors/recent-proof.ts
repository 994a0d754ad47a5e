import type { FastifyRequest } from 'fastify'
import { type Millis, SKEW } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import { LIFETIME } from '../../core/limits.ts'
import type { Db, Tx } from '../../db/database.ts'
import { listMethods } from '../sessions/pending-sign-in.ts'

interface Session {
  sessionId: Id<'session'>
  accountId: Id<'account'>
}

/**
 * Checks that the session has shown a second factor within the last ten minutes or, for an account without one, began within them, so
 * that an open browser alone cannot change a factor (ASVS 7.5.1).
 * @throws ApiError FORBIDDEN `step_up_required` with the accepted factors, or none where a sign-in is required; UNAUTHORIZED where the
 * session has ended
 */
export async function mustHaveRecentProof(db: Db | Tx, session: Session, now: Millis): Promise<void> {
  const row = await db
    .selectFrom('session')
    .innerJoin('account', 'account.id', 'session.account_id')
    .select(['session.created_at', 'session.factor_at', 'account.second_factors'])
    .where('session.id', '=', session.sessionId)
    .where('account.id', '=', session.accountId)
    .where('account.status', '=', 'active')
    .executeTakeFirst()
  if (row === undefined) throw new ApiError('UNAUTHORIZED', {})
  const shownAt = row.second_factors > 0 ? row.factor_at : row.created_at
  if (isRecent(shownAt, now)) return
  throw stepUpRequired(await listMethods(db, session.accountId))
}

/**
 * Checks that a person whose account has a second factor has shown it in this session within the last ten minutes. Keys, and accounts
 * without a second factor, need none.
 * @throws ApiError FORBIDDEN `step_up_required` with the accepted factors
 */
export async function mustHaveSteppedUp(db: Db, { principal, now }: FastifyRequest): Promise<void> {
  if (principal.kind !== 'account' && principal.kind !== 'session') return
  await mustHaveShownFactor(db, principal, now)
}

/**
 * As `mustHaveSteppedUp`, for a session.
 * @throws ApiError FORBIDDEN `step_up_required` with the accepted factors
 */
export async function mustHaveShownFactor(
  db: Db | Tx,
  { sessionId, accountId }: Session,
  now: Millis,
): Promise<void> {
  const row = await db
    .selectFrom('session')
    .innerJoin('account', 'account.id', 'session.account_id')
    .select(['session.factor_at', 'account.second_factors'])
    .where('session.id', '=', sessionId)
    .executeTakeFirst()
  if (row === undefined || row.second_factors === 0 || isRecent(row.factor_at, now)) return
  throw stepUpRequired(await listMethods(db, accountId))
}

/** Whether a proof is recent. One in the future was made under a wrong clock and does not count. */
function isRecent(shownAt: Millis | null, now: Millis): boolean {
  return shownAt !== null && shownAt > now - LIFETIME.stepUp && shownAt <= now + SKEW
}

function stepUpRequired(methods: string[]): ApiError<'FORBIDDEN'> {
  return new ApiError('FORBIDDEN', { reason: 'step_up_required', methods })
}
