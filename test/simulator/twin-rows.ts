import type { Id } from '#src/core/id.ts'
import type { Database } from '#src/db/database.ts'
import type { Disk, Row } from './store.ts'

/** Of a delivery what can be told from outside, in both stores. */
type Visible = Pick<
  Row,
  | 'id'
  | 'laneId'
  | 'eventId'
  | 'status'
  | 'reason'
  | 'attempts'
  | 'due'
  | 'horizon'
  | 'claim'
  | 'updatedAt'
  | 'recorded'
>

/** The deliveries of an organization's table, as the model tells of them. */
export async function storedRows({ db }: Database, organizationId: Id<'organization'>): Promise<Visible[]> {
  const rows = await db
    .selectFrom('delivery')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute()
  const attempts = await db
    .selectFrom('attempt')
    .innerJoin('delivery', 'delivery.id', 'attempt.delivery_id')
    .select(['attempt.delivery_id as id', 'attempt.number'])
    .where('delivery.organization_id', '=', organizationId)
    .orderBy('attempt.number')
    .execute()
  const recorded = Map.groupBy(attempts, ({ id }) => id)
  return rows.map((row) => ({
    id: row.id,
    laneId: row.webhook_id,
    eventId: row.event_id,
    status: row.status,
    reason: row.reason,
    attempts: row.attempts,
    due: row.due_at,
    horizon: row.horizon_at,
    claim: row.claim_id,
    updatedAt: row.updated_at,
    recorded: [
      ...(recorded.get(row.id) ?? []).map(({ number }) => number),
      ...(row.started_at === null ? [] : [row.attempts]),
    ],
  }))
}

/** The same of the model. */
export function modelRows({ rows }: Disk): Visible[] {
  return [...rows.values()]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, laneId, eventId, status, reason, attempts, due, horizon, claim, updatedAt, recorded }) => {
      return { id, laneId, eventId, status, reason, attempts, due, horizon, claim, updatedAt, recorded }
    })
}

interface Counts {
  laneId: string
  made: number
  delivered: number
  failed: number
}

/** The counters of each webhook of an organization. */
export async function storedCounts({ db }: Database, organizationId: Id<'organization'>): Promise<Counts[]> {
  const rows = await db
    .selectFrom('delivery_count')
    .select('webhook_id')
    .select(({ fn }) => [
      fn.sum<number>('made').as('made'),
      fn.sum<number>('delivered').as('delivered'),
      fn.sum<number>('failed').as('failed'),
    ])
    .where('organization_id', '=', organizationId)
    .groupBy('webhook_id')
    .orderBy('webhook_id')
    .execute()
  return rows.map(({ webhook_id, made, delivered, failed }) => ({
    ...{ laneId: webhook_id, made: Number(made), delivered: Number(delivered), failed: Number(failed) },
  }))
}

/** The same of the model, which counts its rows. */
export function modelCounts({ rows }: Disk): Counts[] {
  const lanes = [...Map.groupBy(rows.values(), ({ laneId }) => laneId)]
  return lanes
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([laneId, of]) => {
      const ended = (as: Row['status']) => of.filter(({ status }) => status === as).length
      return { laneId, made: of.length, delivered: ended('delivered'), failed: ended('failed') }
    })
}
