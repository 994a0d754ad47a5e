import { type Id, idFloor } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'
import { prepared } from '../../db/engine/prepared.ts'
import { type Span, WINDOW, windowsOf as windowsOfList } from '../../db/windows.ts'

/** A part of a webhook's deliveries. */
export type Window = Span<'delivery'>

/** Before the first delivery, and after the last that there can be. */
export const EVER: Window = { from: idFloor('delivery', 0), before: idFloor('delivery', 2 ** 48 - 1) }

/** The delivery that ends a window which begins at an end of a span. */
const selectBound = (order: 'asc' | 'desc') =>
  prepared<Window & { webhookId: Id<'webhook'> }>()((db, value) =>
    db
      .selectFrom('delivery')
      .select('id')
      .where('webhook_id', '=', value('webhookId'))
      .where('id', '>=', value('from'))
      .where('id', '<', value('before'))
      .orderBy('id', order)
      .limit(1)
      .offset(WINDOW - 1),
  )
const [selectEnd, selectStart] = [selectBound('asc'), selectBound('desc')]

/** The last delivery of the oldest window of a span; undefined when the span holds fewer. */
export async function endOfWindow(
  db: Db | Tx,
  webhookId: Id<'webhook'>,
  span: Window,
): Promise<Id<'delivery'> | undefined> {
  const [end] = await selectEnd(db, { webhookId, ...span })
  return end?.id
}

/** The windows of a webhook's deliveries, newest first. */
export function windowsOf(
  db: Db,
  webhookId: Id<'webhook'>,
  span: Window,
): AsyncGenerator<Window, void, undefined> {
  return windowsOfList(span, async (one) => {
    const [start] = await selectStart(db, { webhookId, ...one })
    return start?.id
  })
}
