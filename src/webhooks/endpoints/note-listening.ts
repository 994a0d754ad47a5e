import { MINUTE, type Millis, SECOND } from '../../core/clock.ts'
import type { Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'

/** A moment of asking is written anew after this time, so that a client that asks again and again seldom writes. */
const NOTED: Millis = 30 * SECOND
/** Without a question for so long, nobody was listening: what waited has 24 hours from the next one. */
export const ABSENT: Millis = 2 * MINUTE

/** Notes that a client asks. Where none has for a while, what waited has 24 hours from now, as after a pause. */
export async function noteListening(
  tx: Tx,
  webhook: Tables['webhook'],
  now: Millis,
): Promise<Tables['webhook']> {
  const { id, listened_at: last } = webhook
  const since = last === null ? Number.POSITIVE_INFINITY : Math.abs(now - last)
  if (since < NOTED) return webhook
  const change = { listened_at: now, ...(since < ABSENT ? {} : { resumed_at: now }) }
  await tx.updateTable('webhook').set(change).where('id', '=', id).execute()
  return { ...webhook, ...change }
}
