import { MINUTE, type Millis, SECOND } from '../../core/clock.ts'
import type { Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'

/** A newer moment is stored only after this time, so that frequent polls cause few writes. */
const RECORD_INTERVAL: Millis = 30 * SECOND
/** Without a poll for this long the listener counts as unused; its deliveries then have 24 hours from the next poll. */
export const IDLE_AFTER: Millis = 2 * MINUTE

/**
 * Records a poll of a client. After a time without polls, waiting deliveries have 24 hours from now, as after a pause.
 */
export async function recordPoll(
  tx: Tx,
  webhook: Tables['webhook'],
  now: Millis,
): Promise<Tables['webhook']> {
  const { id, listened_at: last } = webhook
  const since = last === null ? Number.POSITIVE_INFINITY : Math.abs(now - last)
  if (since < RECORD_INTERVAL) return webhook
  const change = { listened_at: now, ...(since < IDLE_AFTER ? {} : { resumed_at: now }) }
  await tx.updateTable('webhook').set(change).where('id', '=', id).execute()
  return { ...webhook, ...change }
}
