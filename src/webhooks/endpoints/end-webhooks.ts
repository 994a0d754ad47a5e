import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { deleteSecrets } from '../../delivery/attempt/secrets.ts'
import { cancelReplays } from '../../delivery/replays/replay-row.ts'

/** The cache keys of a webhook. */
export interface Webhook {
  id: Id<'webhook'>
  organization_id: Id<'organization'>
}

/**
 * Deletes all webhooks of an organization; retention removes their events and deliveries, as for any deleted webhook.
 * @returns the deleted webhooks
 */
export async function endWebhooks(tx: Tx, id: Id<'organization'>, now: Millis): Promise<Webhook[]> {
  const webhooks = tx.selectFrom('webhook').select('id').where('organization_id', '=', id)
  await deleteSecrets(tx, { organizationId: id })
  await tx.deleteFrom('capture').where('webhook_id', 'in', webhooks).execute()
  await cancelReplays(tx, { organizationId: id }, now)
  const ended = await tx
    .updateTable('webhook')
    .set({ status: 'deleted', endpoint_path: null, updated_at: now })
    .where('organization_id', '=', id)
    .where('status', '!=', 'deleted')
    .returning(['id', 'organization_id'])
    .execute()
  await tx.deleteFrom('event_type').where('organization_id', '=', id).execute()
  return ended
}
