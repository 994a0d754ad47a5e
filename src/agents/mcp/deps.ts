import type { Clock } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Vault } from '../../core/secret.ts'
import type { Database } from '../../db/database.ts'
import type { Publish } from '../../delivery/publish/publish.ts'
import type { Once } from '../../http/idempotency.ts'
import type { AddressRule } from '../../net/address.ts'
import type { Agent } from '../../net/agent.ts'
import type { Resolve } from '../../net/destination.ts'

interface TokenRequest {
  organizationId: Id<'organization'>
  connectionId: Id<'connection'>
  /** The URL to which the token is sent. */
  url: URL
}

/** Tokens of connections. Both functions throw ApiError where there is no token, or it may not be sent to the URL. */
export interface Tokens {
  /** The connection's current token. */
  of(asked: TokenRequest): Promise<string>
  /** A token instead of a refused one; undefined where no other would be accepted either. */
  insteadOf(asked: TokenRequest, refused: string): Promise<string | undefined>
}

/** The dependencies of operations on MCP servers. */
export interface ServerDeps {
  clock: Clock
  database: Database
  vault: Vault
  once: Once
  publish: Publish
  baseUrl: string
  /** Connections to servers. */
  agent: Agent
  isAllowed: AddressRule
  resolve: Resolve
  tokens: Tokens
}
