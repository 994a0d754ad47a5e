import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { deleteSecrets } from '../../delivery/attempt/secrets.ts'
import { cancelReplays } from '../../delivery/store/replay-row.ts'

/** What a webhook is remembered by. */
export interface Webhook {
  id: Id<'webhook'>
  organization_id: Id<'organization'>
}

/**
 * Ends all webhooks of an organization; what was published goes with time, as from a webhook that was deleted.
 * @returns those that were there
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
