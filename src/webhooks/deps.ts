import type { Config } from '../config/config.ts'
import type { Id } from '../core/id.ts'
import type { Vault } from '../core/secret.ts'
import { afterCommit, type Database, type Tx } from '../db/database.ts'
import type { Tables } from '../db/tables/tables.ts'
import type { Send } from '../delivery/attempt/send.ts'
import type { Targets } from '../delivery/attempt/targets.ts'
import type { Accept } from '../delivery/publish/accept.ts'
import type { FanOut } from '../delivery/publish/fan-out.ts'
import type { Publish, PublishAll } from '../delivery/publish/publish.ts'
import type { Subscriptions } from '../delivery/publish/subscriptions.ts'
import type { Once } from '../http/idempotency.ts'
import type { Limiter } from '../http/rate-limit.ts'
import type { Places } from '../jobs/turns/places.ts'
import type { AddressRule } from '../net/address.ts'
import type { Resolve } from '../net/destination.ts'

/** What the operations of the webhooks slice are made of; each names the members that it uses. */
export interface WebhookDeps {
  config: Config
  database: Database
  vault: Vault
  once: Once
  limiter: Limiter
  publish: Publish
  publishAll: PublishAll
  accept: Accept
  /** Writes the deliveries that were too many for one commit; it runs in every process. */
  fanOut: FanOut
  subscriptions: Subscriptions
  targets: Targets
  /** Makes one attempt, now. */
  send: Send
  /** The places for attempts, of which a test takes one too. */
  places: Places
  /** Tells the engine that a person expects deliveries of a webhook to go on now, one of them before all others. */
  nudge: (webhookId: Id<'webhook'>, first?: Id<'delivery'>) => void
  /** Tells the engine that there is work which it has not heard of. */
  look: () => void
  /** The rule and the resolver with which destinations are checked, here and when they are called. */
  isAllowed: AddressRule
  resolve: Resolve
}

/** After the commit of a change to a webhook: what is remembered of it is read again. */
export function forgetWebhook(
  { subscriptions, targets }: Pick<WebhookDeps, 'subscriptions' | 'targets'>,
  tx: Tx,
  { id, organization_id }: Pick<Tables['webhook'], 'id' | 'organization_id'>,
  then: () => void = () => {},
): void {
  afterCommit(tx, () => {
    subscriptions.forget(organization_id)
    targets.forget(id)
    then()
  })
}
