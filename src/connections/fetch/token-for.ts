import { ownTrail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import { getOwned } from '../../db/owned-row.ts'
import { openTokens } from '../connection-store.ts'
import type { ConnectionDeps } from '../deps.ts'
import { integrationError } from '../failures.ts'
import { currentConnection } from './current.ts'
import { checkTarget } from './fetch-request.ts'

type Deps = Pick<ConnectionDeps, 'clock' | 'database' | 'vault' | 'providers' | 'refresh'>

/**
 * The token of a connection of the organization, for a part of the server that calls `url` itself. It goes to the provider's
 * `apiHosts` alone, as everywhere, and is never stored or shown.
 * @throws ApiError ENTITY_NOT_FOUND, VALIDATION_FAILED where it may not be sent there, and the four INTEGRATION codes
 */
export async function tokenFor(
  deps: Deps,
  asked: { organizationId: Id<'organization'>; connectionId: Id<'connection'>; url: URL },
): Promise<string> {
  const now = deps.clock.now()
  const seen = await getOwned(deps.database.db, 'connection', asked.connectionId, asked.organizationId)
  const provider = deps.providers.get(seen.provider)
  if (provider === undefined)
    throw integrationError('INTEGRATION_PROVIDER_ERROR', seen, 'not_configured', now)
  checkTarget(provider.settings, asked.url.href)
  const asker = { trail: ownTrail(now), actorId: seen.created_by ?? seen.id }
  const { connection } = await currentConnection(deps, seen, asker)
  const token = openTokens(deps.vault, connection)?.accessToken
  if (token === undefined)
    throw integrationError('INTEGRATION_EXPIRED', connection, connection.outcome_reason, now)
  return token
}
