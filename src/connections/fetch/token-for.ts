import { ownTrail } from '../../audit/audit.ts'
import { MINUTE, type Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { getOwned } from '../../db/owned-row.ts'
import { openTokens } from '../connection-store.ts'
import type { Connection } from '../connection-wire.ts'
import type { ConnectionDeps, RefreshCause } from '../deps.ts'
import { integrationError } from '../failures.ts'
import { currentConnection } from './current-connection.ts'
import { checkTarget } from './fetch-request.ts'

type Deps = Pick<ConnectionDeps, 'clock' | 'database' | 'vault' | 'providers' | 'refresh'>

/** The organization, connection and URL of a token. */
export interface TokenRequest {
  organizationId: Id<'organization'>
  connectionId: Id<'connection'>
  /** The URL that receives the token. */
  url: URL
}

/** If the API refuses a token younger than this, it refuses the call: a newer token would not help. */
const NEW: Millis = MINUTE

/**
 * The token of a connection, for a slice that calls `url` itself. It may be sent only to the provider's `apiHosts`, and
 * is never stored or shown.
 * @throws ApiError ENTITY_NOT_FOUND, VALIDATION_FAILED where it may not be sent to the URL, and the four INTEGRATION
 * codes
 */
export async function tokenFor(deps: Deps, request: TokenRequest): Promise<string> {
  const { connection } = await current(deps, request)
  return tokenOf(deps, connection)
}

/**
 * A token instead of one that `url` has refused: the connection's token if it was renewed since, otherwise a new one.
 * @returns undefined where the token cannot be renewed, or the refused one was just issued
 * @throws ApiError as `tokenFor`
 */
export async function tokenInsteadOf(
  deps: Deps,
  request: TokenRequest,
  refused: string,
): Promise<string | undefined> {
  const { connection, cause } = await current(deps, request)
  const token = tokenOf(deps, connection)
  if (token !== refused) return token
  const isNew = connection.refreshed_at !== null && connection.refreshed_at + NEW > cause.trail.now
  if (connection.refreshable === 0 || isNew) return undefined
  return tokenOf(deps, await deps.refresh(connection, cause))
}

async function current(
  deps: Deps,
  request: TokenRequest,
): Promise<{ connection: Connection; cause: RefreshCause }> {
  const now = deps.clock.now()
  const seen = await getOwned(deps.database.db, 'connection', request.connectionId, request.organizationId)
  const provider = deps.providers.get(seen.provider)
  if (provider === undefined)
    throw integrationError('INTEGRATION_PROVIDER_ERROR', seen, 'not_configured', now)
  checkTarget(provider.settings, request.url.href)
  const cause = { trail: ownTrail(now), actorId: seen.created_by ?? seen.id }
  return { connection: (await currentConnection(deps, seen, cause)).connection, cause }
}

function tokenOf({ vault, clock }: Pick<Deps, 'vault' | 'clock'>, connection: Connection): string {
  const token = openTokens(vault, connection)?.accessToken
  if (token === undefined)
    throw integrationError('INTEGRATION_EXPIRED', connection, connection.outcome_reason, clock.now())
  return token
}
