import { sql } from 'kysely'
import { MINUTE, type Millis } from '../../core/clock.ts'
import { type Id, momentOf } from '../../core/id.ts'
import { slotOf } from '../../db/counter-slots.ts'
import type { Tx } from '../../db/database.ts'
import { type Columns, namesOf, preparedForList } from '../../db/engine/lists.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { bucketOf, CODES, MADE, UNTIMED } from './latency-buckets.ts'

/** A row of counts. */
export type DeliveryCount = Tables['delivery_count']

export const COUNT_COLUMNS: Columns<DeliveryCount> = {
  organization_id: 'text',
  webhook_id: 'text',
  span: 'integer',
  at: 'integer',
  part: 'integer',
  made: 'integer',
  delivered: 'integer',
  failed: 'integer',
  latencies: 'text',
}

/** Ends a statement that inserts counts: adds to rows that exist. */
export const ADD_COUNTS = sql`on conflict (organization_id, webhook_id, span, at, part) do update set
  made = delivery_count.made + excluded.made, delivered = delivery_count.delivered + excluded.delivered,
  failed = delivery_count.failed + excluded.failed`

/** Adds counts; no two rows may have the same key. */
export const addCounts = preparedForList<DeliveryCount>(COUNT_COLUMNS, (db, list) =>
  sql<never>`insert into delivery_count (${namesOf(COUNT_COLUMNS)}) ${list} ${ADD_COUNTS}`.compile(db),
)

/** The columns of a delivery by which it is counted. */
type Counted = Pick<Tables['delivery'], 'id' | 'organization_id' | 'webhook_id'>

/** A delivery that has ended. */
interface Ended extends Counted {
  status: 'delivered' | 'failed'
  /** What its last attempt took; undefined where it ended without one. */
  duration: Millis | undefined
}

/** The minute in which a delivery is counted, always the same: that of its id. */
export function minuteOf(id: Id<'delivery'>): Millis {
  return Math.floor(momentOf(id) / MINUTE) * MINUTE
}

/** Which row of its minute a delivery is counted in when it ends in a transaction. */
export function partOf(tx: Tx, duration: Millis | undefined): number {
  return slotOf(tx) * CODES + (duration === undefined ? UNTIMED : bucketOf(duration))
}

/** The counts of new deliveries. */
export function countsOfMade(tx: Tx, deliveries: Counted[]): DeliveryCount[] {
  const part = slotOf(tx) * CODES + MADE
  return group(deliveries, () => ({ part, made: 1, delivered: 0, failed: 0 }))
}

/** The counts of deliveries that have ended. */
export function countsOfEnded(tx: Tx, deliveries: Ended[]): DeliveryCount[] {
  return group(deliveries, ({ status, duration }) => ({
    part: partOf(tx, duration),
    made: 0,
    delivered: status === 'delivered' ? 1 : 0,
    failed: status === 'failed' ? 1 : 0,
  }))
}

function group<Each extends Counted>(
  deliveries: Each[],
  count: (delivery: Each) => Pick<DeliveryCount, 'part' | 'made' | 'delivered' | 'failed'>,
): DeliveryCount[] {
  const rows = new Map<string, DeliveryCount>()
  for (const delivery of deliveries) {
    const { organization_id, webhook_id, id } = delivery
    const at = minuteOf(id)
    const { part, made, delivered, failed } = count(delivery)
    const key = `${webhook_id} ${at} ${part}`
    const row = rows.get(key)
    if (row === undefined) {
      rows.set(key, {
        ...{ organization_id, webhook_id, span: 1, at, part },
        ...{ made, delivered, failed, latencies: null },
      })
      continue
    }
    row.made += made
    row.delivered += delivered
    row.failed += failed
  }
  return [...rows.values()]
}
