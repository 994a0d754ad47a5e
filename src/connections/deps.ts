import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Clock, Millis } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import type { Vault } from '../core/secret.ts'
import type { Database, Tx } from '../db/database.ts'
import type { Publish } from '../delivery/publish/publish.ts'
import type { Agent } from '../net/agent.ts'
import type { Provider } from './provider.ts'
import type { Refresh } from './refresh.ts'

/** Takes credits for work whose end is not known yet; each is called in a transaction of its own. */
export interface Charge<Reservation = unknown> {
  /** @throws ApiError INSUFFICIENT_CREDITS */
  reserve(
    tx: Tx,
    work: { organizationId: Id<'organization'>; action: 'connection.fetch'; reference: string; now: Millis },
  ): Promise<Reservation>
  /** The work was done: what was reserved is spent. */
  settle(tx: Tx, reservation: Reservation, now: Millis): Promise<unknown>
  /** It was not: what was reserved is given back. */
  release(tx: Tx, reservation: Reservation, now: Millis): Promise<unknown>
}

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
