import type { Millis } from '../../core/clock.ts'
import { noteChanges, type Tx } from '../../db/database.ts'
import { notFound } from '../../db/owned-row.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { isUnclaimed } from '../../jobs/queue/queue-rows.ts'
import { holdEvents, insertDeliveries, newDeliveryRow, newestOf, orderAfter } from '../queue/delivery-row.ts'

type Delivery = Tables['delivery']

/**
 * Makes a waiting delivery due now, and makes an ended one again. A delivery under way stays unchanged.
 * @returns the delivery that will be attempted
 * @throws ApiError ENTITY_NOT_FOUND where it has ended and is removed just now, or its event is
 */
export async function redeliver(tx: Tx, row: Delivery, now: Millis): Promise<Delivery> {
  if (row.status !== 'pending') return deliverAnew(tx, row, now)
  const advanced = await tx
    .updateTable('delivery')
    .set({ due_at: now, updated_at: now })
    .where('id', '=', row.id)
    .where(isUnclaimed({ table: 'delivery' }))
    .returningAll()
    .executeTakeFirst()
  if (advanced !== undefined) {
    noteChanges(tx, 'delivery', [advanced])
    return advanced
  }
  // Its attempt was under way, and may have ended it since it was read.
  const current = await tx
    .selectFrom('delivery')
    .selectAll()
    .where('id', '=', row.id)
    .executeTakeFirstOrThrow(() => notFound('id', row.id))
  return current.status === 'pending' ? current : deliverAnew(tx, current, now)
}

async function deliverAnew(tx: Tx, source: Delivery, now: Millis): Promise<Delivery> {
  const events = await holdEvents(tx, [source.event_id])
  if (!events.has(source.event_id)) throw notFound('id', source.id)
  const made = newDeliveryRow(source, now, { order: orderAfter(await newestOf(tx, source), now) })
  await insertDeliveries(tx, [made])
  return made
}
