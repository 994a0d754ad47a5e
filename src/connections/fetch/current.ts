import { type Millis, SECOND } from '../../core/clock.ts'
import { blockedUntil, type Connection, isOver } from '../connection-wire.ts'
import type { Asker, ConnectionDeps } from '../deps.ts'
import { integrationError } from '../failures.ts'

/** A token that ends within this time could end before the request arrives. */
const LEEWAY: Millis = 10 * SECOND

/**
 * A connection whose token can be used now: refreshed first where it has ended.
 * @throws ApiError with the four INTEGRATION codes
 */
export async function currentConnection(
  { clock, refresh }: Pick<ConnectionDeps, 'clock' | 'refresh'>,
  seen: Connection,
  asker: Asker,
): Promise<{ connection: Connection; isRefreshed: boolean }> {
  const now = clock.now()
  if (seen.status === 'revoked') throw integrationError('INTEGRATION_REVOKED', seen, seen.outcome_reason, now)
  if (blockedUntil(seen, now) !== null)
    throw integrationError('INTEGRATION_RATE_LIMIT', seen, 'asked_for_quiet', now)
  const isLate = seen.expires_at !== null && seen.expires_at - LEEWAY <= now
  const isRefreshed = isLate && (seen.refreshable === 1 || isOver(seen, now))
  // A connection that is over and cannot be refreshed gets its error there.
  return { connection: isRefreshed ? await refresh(seen, asker) : seen, isRefreshed }
}
