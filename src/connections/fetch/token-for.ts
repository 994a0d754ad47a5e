import { ownTrail } from '../../audit/audit.ts'
import { MINUTE, type Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { getOwned } from '../../db/owned-row.ts'
import { openTokens } from '../connection-store.ts'
import type { Connection } from '../connection-wire.ts'
import type { Asker, ConnectionDeps } from '../deps.ts'
import { integrationError } from '../failures.ts'
import { currentConnection } from './current.ts'
import { checkTarget } from './fetch-request.ts'

type Deps = Pick<ConnectionDeps, 'clock' | 'database' | 'vault' | 'providers' | 'refresh'>

/** The organization, connection and URL of a token. */
export interface AskedToken {
  organizationId: Id<'organization'>
  connectionId: Id<'connection'>
  /** The URL to which it is sent. */
  url: URL
}

/** A refusal of a token younger than this is a refusal of the call: a newer token would not change it. */
const NEW: Millis = MINUTE

/**
 * The token of a connection of the organization, for a slice that calls `url` itself. It may be sent only to the provider's
 * `apiHosts`, and is never stored or shown.
 * @throws ApiError ENTITY_NOT_FOUND, VALIDATION_FAILED where it may not be sent there, and the four INTEGRATION codes
 */
export async function tokenFor(deps: Deps, asked: AskedToken): Promise<string> {
  const { connection } = await current(deps, asked)
  return tokenOf(deps, connection)
}

/**
 * A token in the place of one that `url` has refused: the connection's, where it has been renewed since, else a new one.
 * @returns undefined where the token cannot be renewed, or the refused one was just issued
 * @throws ApiError as `tokenFor`
 */
export async function tokenInsteadOf(
  deps: Deps,
  asked: AskedToken,
  refused: string,
): Promise<string | undefined> {
  const { connection, asker } = await current(deps, asked)
  const token = tokenOf(deps, connection)
  if (token !== refused) return token
  const isNew = connection.refreshed_at !== null && connection.refreshed_at + NEW > asker.trail.now
  if (connection.refreshable === 0 || isNew) return undefined
  return tokenOf(deps, await deps.refresh(connection, asker))
}

async function current(deps: Deps, asked: AskedToken): Promise<{ connection: Connection; asker: Asker }> {
  const now = deps.clock.now()
  const seen = await getOwned(deps.database.db, 'connection', asked.connectionId, asked.organizationId)
  const provider = deps.providers.get(seen.provider)
  if (provider === undefined)
    throw integrationError('INTEGRATION_PROVIDER_ERROR', seen, 'not_configured', now)
  checkTarget(provider.settings, asked.url.href)
  const asker = { trail: ownTrail(now), actorId: seen.created_by ?? seen.id }
  return { connection: (await currentConnection(deps, seen, asker)).connection, asker }
}

function tokenOf({ vault, clock }: Pick<Deps, 'vault' | 'clock'>, connection: Connection): string {
  const token = openTokens(vault, connection)?.accessToken
  if (token === undefined)
    throw integrationError('INTEGRATION_EXPIRED', connection, connection.outcome_reason, clock.now())
  return token
}
