import { sql } from 'kysely'
import { DAY, HOUR, MINUTE, type Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { pagesOf } from '../../core/pages.ts'
import type { Db } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { addDurations, CODES, type Histogram } from './latency-buckets.ts'

/** Webhooks whose counts are read in one step: some milliseconds each for webhooks with constant traffic. */
const PAGE = 10

/** The lengths of the times that rows count, in minutes, and how long rows of each length are kept. */
export const SPANS: readonly { span: number; kept: Millis }[] = [
  { span: 1, kept: 5 * HOUR },
  { span: 15, kept: 4 * DAY },
  { span: 60, kept: 32 * DAY },
  // The same time as audit entries by default.
  { span: 24 * 60, kept: 400 * DAY },
]

/** Deliveries of all webhooks of an organization, deleted ones too, or of one of them. */
export interface Whose {
  organizationId: Id<'organization'>
  webhookId?: Id<'webhook'> | undefined
}

/** The deliveries made in a time, by their outcome. */
export interface Totals {
  delivered: number
  failed: number
  pending: number
  durations: Histogram
}

/** Consecutive times of equal length. Deliveries made after the last one count in it. */
interface Times {
  start: Millis
  width: Millis
  count: number
}

/** The finest span that the whole window has counts for; buckets are made of such spans. */
export function finestOf(window: Millis): Millis {
  const { span } = SPANS.find(({ kept }) => window <= kept - HOUR) ?? { span: 60 }
  return Math.min(span * MINUTE, HOUR)
}

/** The beginning of a window that ends with the present bucket. */
export function startOf(window: Millis, now: Millis): Millis {
  const finest = finestOf(window)
  return (Math.floor(now / finest) + 1) * finest - window
}

/**
 * Counts the deliveries of an organization, or of one of its webhooks, by the moment when they were made. All counts of a webhook are
 * of one snapshot. Pending deliveries of a deleted webhook count as failed, as in lists.
 */
export async function readTotals(db: Db, whose: Whose, { start, width, count }: Times): Promise<Totals[]> {
  const times = Array.from({ length: count }, none)
  for await (const webhooks of webhooksOf(db, whose)) {
    const deleted = new Set(webhooks.filter(({ status }) => status === 'deleted').map(({ id }) => id))
    for (const row of await selectCounts(db, whose, webhooks, { start, width, count })) {
      const time = times[row.place]
      if (time === undefined) continue
      add(time, row, deleted.has(row.webhook_id))
    }
  }
  return times
}

/** The totals of all times together. */
export function sumOf(times: Totals[]): Totals {
  const all = none()
  for (const { delivered, failed, pending, durations } of times) {
    all.delivered += delivered
    all.failed += failed
    all.pending += pending
    addDurations(all.durations, durations)
  }
  return all
}

/** Counts deliveries that have not ended, of any age: `pending` of active webhooks, `held` of others. */
export async function readOpen(db: Db, whose: Whose): Promise<{ pending: number; held: number }> {
  const open = { pending: 0, held: 0 }
  for await (const webhooks of webhooksOf(db, whose)) {
    const rows = await db
      .selectFrom('delivery_count')
      .select(['webhook_id', sql<number>`sum(made - delivered - failed)`.as('count')])
      .where('organization_id', '=', whose.organizationId)
      .where(
        'webhook_id',
        'in',
        webhooks.map(({ id }) => id),
      )
      .groupBy('webhook_id')
      .execute()
    const counts = new Map(rows.map(({ webhook_id, count }) => [webhook_id, Number(count)]))
    for (const { id, status } of webhooks)
      if (status !== 'deleted') open[status === 'active' ? 'pending' : 'held'] += counts.get(id) ?? 0
  }
  return open
}

function none(): Totals {
  return { delivered: 0, failed: 0, pending: 0, durations: new Map() }
}

interface Row {
  place: number
  webhook_id: Id<'webhook'>
  bucket: number
  latencies: string | null
  made: number
  delivered: number
  failed: number
}

function add(time: Totals, row: Row, isDeleted: boolean): void {
  // Sums come as text from PostgreSQL.
  const [made, delivered, failed] = [Number(row.made), Number(row.delivered), Number(row.failed)]
  time.delivered += delivered
  time.failed += failed
  time[isDeleted ? 'failed' : 'pending'] += made - delivered - failed
  addDurations(time.durations, readLatencies(row.latencies) ?? [[row.bucket, delivered + failed]])
}

/** The histogram of a folded row; undefined for a row that is not folded. */
export function readLatencies(latencies: string | null): Histogram | undefined {
  if (latencies === null) return undefined
  const counts = JSON.parse(latencies) as Record<string, number>
  return new Map(Object.entries(counts).map(([bucket, count]) => [Number(bucket), count]))
}

/** The database sums minute rows with the same key; folded rows are returned singly. */
async function selectCounts(
  db: Db,
  { organizationId }: Whose,
  webhooks: Pick<Tables['webhook'], 'id'>[],
  { start, width, count }: Times,
): Promise<Row[]> {
  const ids = sql.join(webhooks.map(({ id }) => id))
  const { rows } = await sql<Row>`
    select place, webhook_id, bucket, latencies, sum(made) as made, sum(delivered) as delivered, sum(failed) as failed
    from (
      select webhook_id, latencies, made, delivered, failed, part % ${sql.lit(CODES)} as bucket,
        case when latencies is null then 0 else at end as folded_at, case when latencies is null then 0 else part end as folded_part,
        cast(case when at >= ${start + width * count} then ${count - 1} else (at - ${start}) / ${width} end as bigint) as place
      from delivery_count
      where organization_id = ${organizationId} and webhook_id in (${ids})
        and span in (${sql.join(SPANS.map(({ span }) => sql.lit(span)))}) and at >= ${start}
    ) as counted
    group by place, webhook_id, bucket, latencies, folded_at, folded_part`.execute(db)
  return rows
}

/** Webhooks in pages. */
function webhooksOf(db: Db, { organizationId, webhookId }: Whose) {
  const webhooks = db
    .selectFrom('webhook')
    .select(['id', 'status'])
    .where('organization_id', '=', organizationId)
    .$if(webhookId !== undefined, (query) => query.where('id', '=', webhookId as Id<'webhook'>))
    .orderBy('id')
    .limit(PAGE)
  return pagesOf<Pick<Tables['webhook'], 'id' | 'status'>>(PAGE, (last) =>
    webhooks.where('id', '>', last?.id ?? ('' as Id<'webhook'>)).execute(),
  )
}
