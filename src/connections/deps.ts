import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import type { Vault } from '../core/secret.ts'
import type { Database } from '../db/database.ts'
import type { Publish } from '../delivery/publish/publish.ts'
import type { Agent } from '../net/agent.ts'
import type { Charge } from '../shared/charge.ts'
import type { Provider } from './provider.ts'
import type { Refresh } from './refresh.ts'

/** What the operations of the connections slice are made of; each names the members that it uses. */
export interface ConnectionDeps {
  config: Pick<Config, 'web'>
  clock: Clock
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  database: Database
  vault: Vault
  publish: Publish
  /** By name, as the operator configured them. */
  providers: Map<string, Provider>
  /** The way to providers and their APIs. */
  agent: Agent
  /** Renews tokens, once for all who want it at the same time. */
  refresh: Refresh
  /** What a fetch costs. */
  charge: Charge
}
