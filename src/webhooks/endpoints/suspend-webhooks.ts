import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import type { Webhook } from './end-webhooks.ts'

/** The `disabled_reason` while the organization is disabled. */
const REASON = 'organization_disabled'

/**
 * Disables the active webhooks of an organization until `resumeWebhooks`; their due deliveries wait. Paused and
 * disabled webhooks do not change.
 * @returns the webhooks that were active
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

/**
 * Enables the webhooks that `suspendWebhooks` disabled; their waiting deliveries have 24 hours from now. @returns these
 * webhooks
 */
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
