import type { Millis } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { secondsUntil } from '../http/rate-limit.ts'
import { ProviderRefusal } from '../oauth/provider-refusal.ts'
import type { Connection } from './connection-wire.ts'
import type { ConnectionDeps } from './deps.ts'
import type { Provider } from './provider.ts'

/** The error codes of connections and providers (specification 7). */
export type IntegrationCode =
  | 'INTEGRATION_EXPIRED'
  | 'INTEGRATION_REVOKED'
  | 'INTEGRATION_RATE_LIMIT'
  | 'INTEGRATION_PROVIDER_ERROR'

/** An error about a connection; for a rate limit it has the seconds until a retry works. */
export function integrationError(
  code: IntegrationCode,
  { id, provider, not_before }: Pick<Connection, 'id' | 'provider' | 'not_before'>,
  reason: string | null,
  now: Millis,
): ApiError {
  const details = { connectionId: id, provider, reason }
  if (code !== 'INTEGRATION_RATE_LIMIT') return new ApiError(code, details)
  return new ApiError(code, { ...details, retryAfterSeconds: secondsUntil(not_before ?? now, now) })
}

/** The ApiError for a provider's refusal before a connection exists; other errors are returned unchanged. */
export function toApiError(thrown: unknown, provider: string, now: Millis): unknown {
  if (!(thrown instanceof ProviderRefusal)) return thrown
  const { kind, reason, notBefore } = thrown
  if (kind === 'denied') return new ApiError('FORBIDDEN', { provider, reason })
  if (kind === 'refused') return new ApiError('UNAUTHORIZED', { provider, reason })
  if (kind === 'failed') return new ApiError('INTEGRATION_PROVIDER_ERROR', { provider, reason })
  const wait = notBefore === undefined ? {} : { retryAfterSeconds: secondsUntil(notBefore, now) }
  return new ApiError('INTEGRATION_RATE_LIMIT', { provider, reason, ...wait })
}

/**
 * The provider that a caller names.
 * @throws ApiError VALIDATION_FAILED where it is not configured
 */
export function getProvider({ providers }: Pick<ConnectionDeps, 'providers'>, name: string): Provider {
  const provider = providers.get(name)
  if (provider !== undefined) return provider
  throw new ApiError('VALIDATION_FAILED', { field: 'provider', value: name, reason: 'not_configured' })
}
