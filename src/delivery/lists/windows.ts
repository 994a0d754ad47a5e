import type { Id } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'
import { findBound, type Span, windowsOf as windowsOfList } from '../../db/windows.ts'

/** A part of a webhook's deliveries. */
export type Window = Span<'delivery'>

function idsOf(db: Db | Tx, webhookId: Id<'webhook'>, { from, before }: Window, order: 'asc' | 'desc') {
  return db
    .selectFrom('delivery')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .where('id', '>=', from)
    .where('id', '<', before)
    .orderBy('id', order)
}

/** The last delivery of the oldest window of a span; undefined when the span holds fewer. */
export function endOfWindow(
  db: Db | Tx,
  webhookId: Id<'webhook'>,
  span: Window,
): Promise<Id<'delivery'> | undefined> {
  return findBound(idsOf(db, webhookId, span, 'asc'))
}

/** The windows of a webhook's deliveries, newest first. */
export function windowsOf(
  db: Db,
  webhookId: Id<'webhook'>,
  span: Window,
): AsyncGenerator<Window, void, undefined> {
  return windowsOfList(span, (one) => findBound(idsOf(db, webhookId, one, 'desc')))
}
