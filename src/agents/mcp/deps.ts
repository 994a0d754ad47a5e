import type { Clock } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Vault } from '../../core/secret.ts'
import type { Database } from '../../db/database.ts'
import type { Publish } from '../../delivery/publish/publish.ts'
import type { Once } from '../../http/idempotency.ts'
import type { AddressRule } from '../../net/address.ts'
import type { Agent } from '../../net/agent.ts'
import type { Resolve } from '../../net/destination.ts'

interface AskedToken {
  organizationId: Id<'organization'>
  connectionId: Id<'connection'>
  /** Where it is to be sent. */
  url: URL
}

/** Tokens of connections. Both throw ApiError where there is none, or it may not be sent there. */
export interface Tokens {
  /** The one that a connection has now. */
  of(asked: AskedToken): Promise<string>
  /** Another one than that which was refused; undefined where no other would be taken either. */
  insteadOf(asked: AskedToken, refused: string): Promise<string | undefined>
}

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
  isAllowed: AddressRule
  resolve: Resolve
  tokens: Tokens
}
