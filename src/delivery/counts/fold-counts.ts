import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { DAY, MINUTE, type Millis, pause, SECOND, stopwatch } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { pagesOf } from '../../core/pages.ts'
import type { Database, Db, Tx } from '../../db/database.ts'
import { type Columns, namesOf, preparedForList } from '../../db/engine/lists.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { addCounts, COUNT_COLUMNS, type DeliveryCount } from './delivery-counts.ts'
import { addDurations, CODES, type Histogram } from './latency-buckets.ts'
import { readLatencies, SPANS } from './read-counts.ts'

/** Webhooks that are looked at in one go. */
const PAGE = 100
/** Rows that one step folds or removes. */
const STEP = 500
/** The longest run, as other work of the same loop waits for it; the next run continues where it ended. */
const RUN: Millis = 2 * SECOND
/** The rest after a step, as a multiple of the time that the step took. */
const REST = 3
/** Figures cover 30 days at most. Counts of a deleted webhook are kept as long, and a day more for clocks that differ. */
const LONGEST_WINDOW: Millis = 31 * DAY
/** Upper bound of the random part numbers; each is drawn once. */
const MOST_PARTS = 2 ** 47

type Key = Pick<DeliveryCount, 'organization_id' | 'webhook_id' | 'span' | 'at' | 'part'>

const { organization_id, webhook_id, span, at, part } = COUNT_COLUMNS
const KEY: Columns<Key> = { organization_id, webhook_id, span, at, part }

const removeCounts = preparedForList<Key>(KEY, (db, list) =>
  sql<never>`delete from delivery_count where (${namesOf(KEY)}) in (${list})`.compile(db),
)

type Webhook = Pick<Tables['webhook'], 'id' | 'organization_id' | 'status' | 'updated_at'>
type Whole = Webhook & { ended_at: Millis | null }

/**
 * Merges counts as they age: rows of short times become one row of a longer time (`SPANS`). It removes days after the longest time, and
 * the rows of a deleted webhook when its last deliveries are removed.
 * @param retentionDays for how many days deliveries are kept
 * @returns folds in small steps; it does nothing before the next quarter of an hour
 */
export function createFoldCounts(database: Database, retentionDays: number): (now: Millis) => Promise<void> {
  /** The quarter of an hour of the last whole run. */
  let last: number | undefined
  /** The webhook after which the next run continues. */
  let after = '' as Id<'webhook'>
  const kept = Math.max(retentionDays * DAY, LONGEST_WINDOW)
  return async (now) => {
    const quarter = Math.floor(now / (15 * MINUTE))
    if (quarter === last) return
    const took = stopwatch()
    const isOver = () => took() > RUN
    for await (const webhooks of pagesOf<Whole>(PAGE, (one) => webhooksAfter(database.db, one?.id ?? after)))
      for (const webhook of webhooks) {
        await foldOf(database, webhook, { kept, now, isOver })
        if (isOver()) return
        after = webhook.id
      }
    after = '' as Id<'webhook'>
    last = quarter
  }
}

async function webhooksAfter(db: Db, after: Id<'webhook'>): Promise<Whole[]> {
  return db
    .selectFrom('webhook')
    .innerJoin('organization', 'organization.id', 'webhook.organization_id')
    .select([
      'webhook.id',
      'webhook.organization_id',
      'webhook.status',
      'webhook.updated_at',
      'organization.deleted_at as ended_at',
    ])
    .where('webhook.id', '>', after)
    .orderBy('webhook.id')
    .limit(PAGE)
    .execute()
}

async function foldOf(
  database: Database,
  webhook: Whole,
  { kept, now, isOver }: { kept: Millis; now: Millis; isOver: () => boolean },
): Promise<void> {
  const isGone =
    webhook.ended_at !== null || (webhook.status === 'deleted' && webhook.updated_at <= now - kept)
  if (isGone) {
    await inSteps(isOver, () =>
      database.tx(async (tx) => (await take(tx, database, webhook, sql<boolean>`true`)).length),
    )
    return
  }
  for (const [index, { span, kept: short }] of SPANS.entries()) {
    const longer = SPANS[index + 1]?.span
    const unit = (longer ?? span) * MINUTE
    const until = Math.floor((now - short) / unit) * unit
    const old = sql<boolean>`span = ${span} and at < ${until}`
    await inSteps(isOver, () =>
      database.tx(async (tx) =>
        longer === undefined
          ? // A day is kept while it counts deliveries that have not ended.
            (await take(tx, database, webhook, sql<boolean>`${old} and made = delivered + failed`)).length
          : fold(tx, database, webhook, old, longer),
      ),
    )
  }
}

/** Repeats `step` until it takes fewer rows than it may. @param step returns how many rows it has taken */
async function inSteps(isOver: () => boolean, step: () => Promise<number>): Promise<void> {
  while (!isOver()) {
    const took = stopwatch()
    const count = await step()
    if (count > 0) await pause(took() * REST)
    if (count < STEP) return
  }
}

/** Merges rows of short times into rows of a longer one. @returns how many rows it has merged */
async function fold(
  tx: Tx,
  database: Database,
  webhook: Webhook,
  old: ReturnType<typeof sql<boolean>>,
  longer: number,
): Promise<number> {
  const rows = await take(tx, database, webhook, old)
  if (rows.length === 0) return 0
  const unit = longer * MINUTE
  const timeOf = ({ at }: DeliveryCount) => Math.floor(at / unit) * unit
  const times = sql.join([...new Set(rows.map(timeOf))])
  const there = await take(tx, database, webhook, sql<boolean>`span = ${longer} and at in (${times})`)
  const folded = [...Map.groupBy([...rows, ...there], timeOf)].map(([at, some]): DeliveryCount => {
    const { made, delivered, failed, durations } = sum(some)
    const latencies = JSON.stringify(Object.fromEntries(durations))
    const part = randomInt(MOST_PARTS)
    const { organization_id, id: webhook_id } = webhook
    return { organization_id, webhook_id, span: longer, at, part, made, delivered, failed, latencies }
  })
  await addCounts(tx, folded)
  return rows.length
}

function sum(rows: DeliveryCount[]) {
  const all = { made: 0, delivered: 0, failed: 0, durations: new Map() as Histogram }
  for (const { part, made, delivered, failed, latencies } of rows) {
    all.made += made
    all.delivered += delivered
    all.failed += failed
    const ended = delivered + failed
    const one: Iterable<[number, number]> = ended === 0 ? [] : [[part % CODES, ended]]
    addDurations(all.durations, readLatencies(latencies) ?? one)
  }
  return all
}

/**
 * Removes some rows of a webhook. Rows that another transaction has locked are skipped and stay for the next run.
 * @returns the removed rows
 */
async function take(
  tx: Tx,
  { skipLocked }: Database,
  { id, organization_id }: Webhook,
  where: ReturnType<typeof sql<boolean>>,
): Promise<DeliveryCount[]> {
  const rows = await tx
    .selectFrom('delivery_count')
    .selectAll()
    .where('organization_id', '=', organization_id)
    .where('webhook_id', '=', id)
    .where(where)
    .orderBy('span')
    .orderBy('at')
    .orderBy('part')
    .limit(STEP)
    .$call(skipLocked)
    .execute()
  await removeCounts(tx, rows)
  return rows
}
