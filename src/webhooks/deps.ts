import type { Config } from '../config.ts'
import type { Vault } from '../core/secret.ts'
import type { Database } from '../db/database.ts'
import type { Once } from '../http/idempotency.ts'
import type { AddressRule } from '../net/address.ts'
import type { Resolve } from '../net/destination.ts'
import type { Publish } from './publish.ts'

/** What the operations of the webhooks slice are made of; each names the members that it uses. */
export interface WebhookDeps {
  config: Config
  database: Database
  vault: Vault
  once: Once
  publish: Publish
  /** The rule and the resolver with which destinations are checked, here and when they are called. */
  isAllowed: AddressRule
  resolve: Resolve
}
