import { turn } from '../../core/clock.ts'
import { type Id, idFloor } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'
import { prepared } from '../../db/engine/prepared.ts'

/** Deliveries that are looked at in one go: a few milliseconds, for which everybody may be made to wait. */
export const WINDOW = 5_000

/** A part of a webhook's deliveries: from `from` to before `before`. */
export interface Window {
  from: Id<'delivery'>
  before: Id<'delivery'>
}

/** Before the first delivery, and after the last that there can be. */
export const EVER: Window = { from: idFloor('delivery', 0), before: idFloor('delivery', 2 ** 48 - 1) }

const selectEnd = prepared<Window & { webhookId: Id<'webhook'> }>()((db, value) =>
  db
    .selectFrom('delivery')
    .select('id')
    .where('webhook_id', '=', value('webhookId'))
    .where('id', '>=', value('from'))
    .where('id', '<', value('before'))
    .orderBy('id')
    .limit(1)
    .offset(WINDOW - 1),
)

/** The last delivery of the oldest window of a span; undefined when the span holds fewer. */
export async function endOfWindow(
  db: Db | Tx,
  webhookId: Id<'webhook'>,
  span: Window,
): Promise<Id<'delivery'> | undefined> {
  const [end] = await selectEnd(db, { webhookId, ...span })
  return end?.id
}

const selectStart = prepared<Window & { webhookId: Id<'webhook'> }>()((db, value) =>
  db
    .selectFrom('delivery')
    .select('id')
    .where('webhook_id', '=', value('webhookId'))
    .where('id', '>=', value('from'))
    .where('id', '<', value('before'))
    .orderBy('id', 'desc')
    .limit(1)
    .offset(WINDOW - 1),
)

/**
 * The windows of a webhook's deliveries, newest first. What must look at all of them, a million perhaps, goes from one to
 * the next, and others have their turn in between.
 */
export async function* windowsOf(
  db: Db,
  webhookId: Id<'webhook'>,
  { from, before }: Window,
): AsyncGenerator<Window, void, undefined> {
  let end = before
  for (;;) {
    const [start] = await selectStart(db, { webhookId, from, before: end })
    yield { from: start?.id ?? from, before: end }
    if (start === undefined) return
    end = start.id
    await turn()
  }
}
