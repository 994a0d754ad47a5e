import type { Millis } from '../../core/clock.ts'
import { noteMany, type Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { deleteSecrets } from '../../delivery/attempt/secrets.ts'
import { cancelReplays } from '../../delivery/replays/replay-row.ts'
import type { WebhookDeps } from '../deps.ts'

/** Deletes a locked webhook: its pending deliveries count as failed, and its row stays as long as they do. */
export async function deleteWebhook(
  tx: Tx,
  { forgetWebhook }: Pick<WebhookDeps, 'forgetWebhook'>,
  webhook: Pick<Tables['webhook'], 'id' | 'organization_id'>,
  now: Millis,
): Promise<void> {
  await tx
    .updateTable('webhook')
    // Another webhook of the organization may take the path; the secrets verify no further calls.
    .set({ status: 'deleted', endpoint_path: null, updated_at: now })
    .where('id', '=', webhook.id)
    .execute()
  await deleteSecrets(tx, { webhookId: webhook.id })
  await tx.deleteFrom('capture').where('webhook_id', '=', webhook.id).execute()
  await cancelReplays(tx, { webhookId: webhook.id }, now)
  forgetWebhook(tx, webhook)
  noteMany(tx, webhook.organization_id)
}
