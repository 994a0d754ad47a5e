import type { Clock } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Vault } from '../../core/secret.ts'
import type { Database } from '../../db/database.ts'
import type { Publish } from '../../delivery/publish/publish.ts'
import type { Once } from '../../http/idempotency.ts'
import type { Agent } from '../../net/agent.ts'

/**
 * A token of a connection of the organization, for requests to `url`.
 * @throws ApiError where there is none, or it may not be sent there
 */
export type TokenFor = (asked: {
  organizationId: Id<'organization'>
  connectionId: Id<'connection'>
  url: URL
}) => Promise<string>

/** What the operations on MCP servers are made of. */
export interface ServerDeps {
  clock: Clock
  database: Database
  vault: Vault
  once: Once
  publish: Publish
  baseUrl: string
  /** The way to servers. */
  agent: Agent
  tokenFor: TokenFor
}
