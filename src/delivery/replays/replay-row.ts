import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { noteChanges, type Tx } from '../../db/database.ts'
import { literal } from '../../db/literal.ts'
import type { Tables } from '../../db/tables/tables.ts'

/** One replay, or all that run for a webhook or for an organization. */
type Which = { id: Id<'replay'> } | { webhookId: Id<'webhook'> } | { organizationId: Id<'organization'> }

/** Begins a replay; the workers' next look finds it. */
export async function insertReplay(tx: Tx, row: Tables['replay']): Promise<void> {
  await tx.insertInto('replay').values(row).execute()
  noteChanges(tx, 'replay', [row])
}

/** Ends running replays; their deliveries stay. */
export async function cancelReplays(tx: Tx, which: Which, now: Millis): Promise<void> {
  const running = tx
    .updateTable('replay')
    .set({ status: 'cancelled', updated_at: now })
    .where('status', '=', literal('running'))
    .returning(['id', 'organization_id'])
  const narrowed =
    'id' in which
      ? running.where('id', '=', which.id)
      : 'webhookId' in which
        ? running.where('webhook_id', '=', which.webhookId)
        : running.where('organization_id', '=', which.organizationId)
  noteChanges(tx, 'replay', await narrowed.execute())
}
