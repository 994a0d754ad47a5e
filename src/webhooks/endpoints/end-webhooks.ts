import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { deleteSecrets } from '../../delivery/attempt/secrets.ts'
import { cancelReplays } from '../../delivery/store/replay-row.ts'

/** Ends all webhooks of an organization; what was published goes with time, as from a webhook that was deleted. */
export async function endWebhooks(tx: Tx, id: Id<'organization'>, now: Millis): Promise<void> {
  const webhooks = tx.selectFrom('webhook').select('id').where('organization_id', '=', id)
  await deleteSecrets(tx, { organizationId: id })
  await tx.deleteFrom('capture').where('webhook_id', 'in', webhooks).execute()
  await cancelReplays(tx, { organizationId: id }, now)
  await tx
    .updateTable('webhook')
    .set({ status: 'deleted', endpoint_path: null, updated_at: now })
    .where('organization_id', '=', id)
    .where('status', '!=', 'deleted')
    .execute()
  await tx.deleteFrom('event_type').where('organization_id', '=', id).execute()
}
