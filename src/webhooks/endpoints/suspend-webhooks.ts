import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import type { Webhook } from './end-webhooks.ts'

/** What stands as the reason while the organization itself is disabled. */
const REASON = 'organization_disabled'

/**
 * Sends nothing of an organization any more until `resumeWebhooks`: what is due waits, as for one webhook that is disabled.
 * One that was paused, or gone, stays as it is.
 * @returns those that were active
 */
export function suspendWebhooks(tx: Tx, id: Id<'organization'>, now: Millis): Promise<Webhook[]> {
  return tx
    .updateTable('webhook')
    .set({ status: 'disabled', disabled_reason: REASON, status_at: now, updated_at: now })
    .where('organization_id', '=', id)
    .where('status', '=', 'active')
    .returning(['id', 'organization_id'])
    .execute()
}

/** Sends what waits since `suspendWebhooks`; it has 24 hours from now. @returns those that are active again */
export function resumeWebhooks(tx: Tx, id: Id<'organization'>, now: Millis): Promise<Webhook[]> {
  return tx
    .updateTable('webhook')
    .set({ status: 'active', disabled_reason: null, status_at: now, resumed_at: now, updated_at: now })
    .where('organization_id', '=', id)
    .where('status', '=', 'disabled')
    .where('disabled_reason', '=', REASON)
    .returning(['id', 'organization_id'])
    .execute()
}
