import type { Millis } from '../../core/clock.ts'
import type { Tx } from '../../db/database.ts'
import type { DeliveryJob } from '../../delivery/store/job.ts'
import { forgetWebhook, type WebhookDeps } from '../deps.ts'

/**
 * A destination answered 410: nothing more is sent to it, and what was on its way is held (decisions: webhooks, outcome
 * table). The organization's other webhooks hear of it.
 */
export async function disableGone(
  tx: Tx,
  deps: Pick<WebhookDeps, 'publish' | 'subscriptions' | 'targets'>,
  { laneId: webhookId, organizationId }: DeliveryJob,
  now: Millis,
): Promise<void> {
  const disabled = await tx
    .updateTable('webhook')
    .set({ status: 'disabled', disabled_reason: 'gone', updated_at: now })
    .where('id', '=', webhookId)
    .where('status', '=', 'active')
    .returning('id')
    .executeTakeFirst()
  if (disabled === undefined) return
  forgetWebhook(deps, tx, { id: webhookId, organization_id: organizationId })
  await deps.publish(tx, now, {
    organizationId,
    type: 'webhook.disabled',
    data: { webhookId, reason: 'gone' },
  })
}
