import { type Millis, SECOND } from '../../core/clock.ts'
import { blockedUntil, type Connection, isExpired } from '../connection-wire.ts'
import type { ConnectionDeps, RefreshCause } from '../deps.ts'
import { integrationError } from '../failures.ts'

/** A token that expires within this time could expire before the request arrives. */
const LEEWAY: Millis = 10 * SECOND

/**
 * A connection with a valid token; refreshes an expired one first.
 * @throws ApiError with the four INTEGRATION codes
 */
export async function currentConnection(
  { clock, refresh }: Pick<ConnectionDeps, 'clock' | 'refresh'>,
  seen: Connection,
  cause: RefreshCause,
): Promise<{ connection: Connection; isRefreshed: boolean }> {
  const now = clock.now()
  if (seen.status === 'revoked') throw integrationError('INTEGRATION_REVOKED', seen, seen.outcome_reason, now)
  if (blockedUntil(seen, now) !== null)
    throw integrationError('INTEGRATION_RATE_LIMIT', seen, 'asked_for_quiet', now)
  const isLate = seen.expires_at !== null && seen.expires_at - LEEWAY <= now
  const isRefreshed = isLate && (seen.refreshable === 1 || isExpired(seen, now))
  // `refresh` throws the error of an expired connection that cannot be refreshed.
  return { connection: isRefreshed ? await refresh(seen, cause) : seen, isRefreshed }
}
