import type { Logger } from 'pino'
import type { Trail } from '../audit/audit.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import type { Vault } from '../core/secret.ts'
import type { Database } from '../db/database.ts'
import type { Publish } from '../delivery/publish/publish.ts'
import type { Jobs } from '../jobs/create-jobs.ts'
import type { Agent } from '../net/agent.ts'
import type { Charge } from '../shared/charge.ts'
import type { Connection } from './connection-wire.ts'
import type { Provider } from './provider.ts'

/** The cause of a refresh, for the audit log. */
export interface RefreshCause {
  trail: Trail
  actorId: string
}

/**
 * Renews the tokens of a connection, once for all concurrent callers in all processes.
 * @param seen the connection as the caller read it; a newer version counts as the renewal
 * @returns the connection with its new tokens
 * @throws ApiError with the four INTEGRATION codes, or ENTITY_NOT_FOUND where it was deleted during the refresh
 */
export type Refresh = (seen: Connection, cause: RefreshCause) => Promise<Connection>

/** The dependencies of the slice's operations; each names the members that it uses. */
export interface ConnectionDeps {
  config: Pick<Config, 'web'>
  clock: Clock
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  database: Database
  vault: Vault
  publish: Publish
  /** The configured providers, by name. */
  providers: Map<string, Provider>
  /** Connections to providers and their APIs. */
  agent: Agent
  /** Adds the job that revokes tokens. */
  addRevocation: Jobs['add']
  /** Renews tokens, once for all concurrent callers. */
  refresh: Refresh
  /** Charges the price of a fetch. */
  charge: Charge
}
