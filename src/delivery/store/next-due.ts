import { sql } from 'kysely'
import type { Millis } from '../../core/clock.ts'

/** When the next delivery of the statement's `webhook` is due that no worker has claimed; null where there is none. */
export const NEXT_DUE = sql<Millis | null>`(
  select min(delivery.due_at) from delivery
  where delivery.webhook_id = webhook.id and delivery.status = 'pending' and delivery.claim_id is null
)`
