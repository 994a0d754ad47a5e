import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'

/**
 * Disables a webhook whose destination answered 410; its pending deliveries are held (decisions: webhooks, outcome table).
 * @returns false where it was no longer active
 */
export async function disableGone(tx: Tx, webhookId: Id<'webhook'>, now: Millis): Promise<boolean> {
  const disabled = await tx
    .updateTable('webhook')
    .set({ status: 'disabled', disabled_reason: 'gone', status_at: now, updated_at: now })
    .where('id', '=', webhookId)
    // A listener in use is stored as paused.
    .where((where) =>
      where.or([
        where('status', '=', 'active'),
        where.and([where('status', '=', 'paused'), where('listener', 'is not', null)]),
      ]),
    )
    .returning('id')
    .executeTakeFirst()
  return disabled !== undefined
}
