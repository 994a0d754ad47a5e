import { sql } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import { type Id, momentOf, newId } from '../../core/id.ts'
import { type Db, noteChanges, type Tx } from '../../db/database.ts'
import { type Columns, preparedByIds, preparedListInserts } from '../../db/engine/lists.ts'
import { lockShared } from '../../db/locking.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { DeliveryRow } from '../../db/tables/webhooks.ts'
import { HORIZON } from '../attempt/schedule.ts'
import { ADD_COUNTS, COUNT_COLUMNS, countsOfMade } from '../counts/delivery-counts.ts'

/** The columns of a new delivery. */
export const DELIVERY_COLUMNS: Columns<DeliveryRow> = {
  id: 'text',
  organization_id: 'text',
  webhook_id: 'text',
  event_id: 'text',
  event_type: 'text',
  status: 'text',
  reason: 'text',
  attempts: 'integer',
  due_at: 'integer',
  horizon_at: 'integer',
  claim_id: 'text',
  sample: 'integer',
  created_at: 'integer',
  updated_at: 'integer',
}

const insert = preparedListInserts({ delivery: DELIVERY_COLUMNS, delivery_count: COUNT_COLUMNS }, undefined, {
  delivery_count: ADD_COUNTS,
})

/** Writes delivery rows and counts them, with one statement a batch, wherever they come from. */
export async function insertDeliveries(tx: Tx, rows: Tables['delivery'][]): Promise<void> {
  await insert(tx, { delivery: rows, delivery_count: countsOfMade(tx, rows) })
  noteChanges(tx, 'delivery', rows)
}

/**
 * A moment that orders a new delivery after all others of its event at its webhook, even where the clock was set back since
 * `newest`, the latest of them, was made.
 */
export function orderAfter(newest: Id<'delivery'>, now: Millis): Millis {
  return Math.max(now, momentOf(newest) + 1)
}

/**
 * Locks events against removal until `tx` ends, so that deliveries can be made of them. @returns those that exist: an event
 * without open deliveries may have been removed since its delivery was read
 */
export async function holdEvents(tx: Tx, ids: Id<'event'>[]): Promise<Set<Id<'event'>>> {
  if (ids.length === 0) return new Set()
  const rows = await lockShared(tx, tx.selectFrom('event').select('id').where('id', 'in', ids)).execute()
  return new Set(rows.map(({ id }) => id))
}

/** The newest delivery of an event to a webhook; `source` itself where it was removed since it was read. */
export async function newestOf(
  db: Db | Tx,
  { id: source, webhook_id, event_id }: Pick<Tables['delivery'], 'id' | 'webhook_id' | 'event_id'>,
): Promise<Id<'delivery'>> {
  const newest = await db
    .selectFrom('delivery')
    .select('id')
    .where('event_id', '=', event_id)
    .where('webhook_id', '=', webhook_id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return newest?.id ?? source
}

/** The events of some ids, each with its body. */
export const selectBodies = preparedByIds<Pick<Tables['event'], 'id' | 'body'>>((db, list) =>
  sql<Pick<Tables['event'], 'id' | 'body'>>`select id, body from event where id in (${list})`.compile(db),
)

/**
 * The row of a new delivery. A redelivery has a new schedule.
 * @param order the moment by which its id is ordered among others; `now` unless given
 * @param dueAt when its first attempt is due; `now` unless given
 * @param claimer the worker that claims it at its insertion
 */
export function newDeliveryRow(
  of: Pick<DeliveryRow, 'organization_id' | 'webhook_id' | 'event_id' | 'event_type' | 'sample'>,
  now: Millis,
  { order = now, dueAt = now, claimer }: { order?: Millis; dueAt?: Millis; claimer?: string | undefined },
): DeliveryRow {
  return {
    id: newId('delivery', order),
    organization_id: of.organization_id,
    webhook_id: of.webhook_id,
    event_id: of.event_id,
    event_type: of.event_type,
    status: 'pending',
    reason: null,
    attempts: 0,
    due_at: dueAt,
    horizon_at: dueAt + HORIZON,
    claim_id: claimer ?? null,
    sample: of.sample,
    created_at: now,
    updated_at: now,
  }
}
