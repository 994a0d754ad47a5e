import type { Millis } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import type { Vault } from '../core/secret.ts'
import type { Database } from '../db/database.ts'
import { prepared } from '../db/prepared.ts'
import { HORIZON } from './retry.ts'
import { secretsOf } from './secrets.ts'
import type { Target } from './send.ts'

/** Where an active webhook's deliveries go, and how. */
export interface ActiveTarget extends Target {
  maxInFlight: number
  /** What waited while the webhook was not active may be sent until here, whatever its own horizon. */
  horizonFloor: Millis
}

/** Where the deliveries of each webhook go. */
export interface Targets {
  /** Where a webhook's deliveries go now; undefined when it is gone or not active. */
  find(webhookId: Id<'webhook'>, now: Millis): Promise<ActiveTarget | undefined>
  /** Must follow the commit of every change to a webhook or its secrets. */
  forget(webhookId: Id<'webhook'>): void
}

const selectWebhook = prepared<{ id: Id<'webhook'> }>()((db, value) =>
  db
    .selectFrom('webhook')
    .select(['url', 'max_in_flight', 'resumed_at'])
    .where('id', '=', value('id'))
    .where('status', '=', 'active'),
)

/** A retired secret ends by the clock alone; what is remembered is read again this often. */
const FRESH: Millis = 5_000
const MOST_ENTRIES = 10_000

export function createTargets({ database, vault }: { database: Database; vault: Vault }): Targets {
  const known = new Map<Id<'webhook'>, { target: ActiveTarget; readAt: Millis }>()
  let generation = 0
  return {
    async find(webhookId, now) {
      const remembered = known.get(webhookId)
      if (remembered !== undefined && now - remembered.readAt < FRESH && now >= remembered.readAt)
        return remembered.target
      const begun = generation
      const [webhook] = await selectWebhook(database.db, { id: webhookId })
      if (webhook === undefined) return undefined
      const secrets = await secretsOf(database.db, vault, webhookId, now)
      // Nothing is sent that its receiver could not check.
      if (secrets.length === 0) return undefined
      const target = {
        url: webhook.url,
        maxInFlight: webhook.max_in_flight,
        secrets,
        horizonFloor: webhook.resumed_at === null ? 0 : webhook.resumed_at + HORIZON,
      }
      // Other processes may change a webhook at any moment; there, every attempt asks.
      if (!database.shared && begun === generation) {
        if (known.size >= MOST_ENTRIES) known.clear()
        known.set(webhookId, { target, readAt: now })
      }
      return target
    },
    forget(webhookId) {
      generation += 1
      known.delete(webhookId)
    },
  }
}
