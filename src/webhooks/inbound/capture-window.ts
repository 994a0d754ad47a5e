import { MINUTE, type Millis } from '../../core/clock.ts'
import { type Id, newId } from '../../core/id.ts'
import { noteChanges, type Tx } from '../../db/database.ts'
import { literal } from '../../db/literal.ts'
import { isDue, isPending } from '../../db/plausible-time.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { InboundCall } from './inbound-call.ts'

/**
 * The capture window (specification 3): the next call to the webhook's inbound path is kept for inspection instead of
 * being delivered.
 *
 * (closed) --test/start--> open --first call--> captured
 *                          open --test/stop, or 10 minutes--> closed
 */
export type Capture = Tables['capture']

/** Lifetime of a window without a call (decisions: webhooks). */
export const WINDOW: Millis = 10 * MINUTE

/** The webhook of a window, and its organization. */
type Owner = Pick<Tables['webhook'], 'id' | 'organization_id'>

/** Opens a window, or returns the open one. */
export async function openWindow(tx: Tx, webhook: Owner, now: Millis): Promise<Capture> {
  const { id: webhookId, organization_id } = webhook
  await tx
    .updateTable('capture')
    .set({ status: 'closed' })
    .where('webhook_id', '=', webhookId)
    .where('status', '=', literal('open'))
    .where(isDue('expires_at', now, WINDOW))
    .execute()
  const row: Capture = {
    id: newId('capture', now),
    webhook_id: webhookId,
    status: 'open',
    expires_at: now + WINDOW,
    created_at: now,
    captured_at: null,
    method: null,
    query: null,
    headers: null,
    content_type: null,
    body: null,
  }
  const inserted = await tx
    .insertInto('capture')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (inserted !== undefined) noteChanges(tx, 'capture', [{ id: inserted.id, organization_id }])
  if (inserted !== undefined) return inserted
  const open = await tx
    .selectFrom('capture')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .where('status', '=', literal('open'))
    .executeTakeFirst()
  // A call may have filled the window since the first read.
  return open ?? openWindow(tx, webhook, now)
}

/** Closes the open window, if there is one. */
export async function closeWindow(tx: Tx, { id, organization_id }: Owner): Promise<void> {
  const closed = await tx
    .updateTable('capture')
    .set({ status: 'closed' })
    .where('webhook_id', '=', id)
    .where('status', '=', literal('open'))
    .returning('id')
    .execute()
  noteChanges(
    tx,
    'capture',
    closed.map((row) => ({ id: row.id, organization_id })),
  )
}

/**
 * Keeps a call in the open window, if there is one; of several concurrent calls only one.
 * @returns the capture's id
 */
export async function captureCall(
  tx: Tx,
  { id: webhookId, organization_id }: Owner,
  call: InboundCall,
  now: Millis,
): Promise<Id<'capture'> | undefined> {
  const captured = await tx
    .updateTable('capture')
    .set({
      status: 'captured',
      captured_at: now,
      method: call.method,
      query: JSON.stringify(call.query),
      headers: JSON.stringify(call.headers),
      content_type: call.contentType,
      body: call.body,
    })
    .where('webhook_id', '=', webhookId)
    .where('status', '=', literal('open'))
    .where(isPending('expires_at', now, WINDOW))
    .returning('id')
    .executeTakeFirst()
  if (captured !== undefined) noteChanges(tx, 'capture', [{ id: captured.id, organization_id }])
  return captured?.id
}
