import { sql } from 'kysely'
import { turn } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Db } from '../../db/database.ts'
import { isUnclaimed } from '../../jobs/queue/queue-rows.ts'

/** Rows of one statement; the embedded engine holds the thread for as long as one lasts. */
const STEP = 500
/** Webhooks that are found at most. */
const MOST_WEBHOOKS = 10_000

/** Deliveries of a webhook that failed for good and were not made again. */
export interface OpenFailures {
  count: number
  /** Whether the count stopped at its limit, so that there may be more. */
  atLeast: boolean
  /** The number of failed deliveries that were read, including those made again: the cost of the count. */
  looked: number
  oldest: Id<'delivery'> | undefined
  newest: Id<'delivery'> | undefined
}

interface Step {
  passed: number
  last: Id<'delivery'> | null
  open: number | null
  oldest: Id<'delivery'> | null
  newest: Id<'delivery'> | null
}

/**
 * Counts a webhook's failures since `from` that are the newest delivery of their event. A replay of failed deliveries since `from`
 * makes the same ones again.
 * @param most failed deliveries that are looked at, made again or not
 * @param enough where so many are found, no more are looked for
 */
export async function countOpenFailures(
  db: Db,
  webhookId: Id<'webhook'>,
  from: Id<'delivery'>,
  most: number,
  enough = most,
): Promise<OpenFailures> {
  const found: OpenFailures = { count: 0, atLeast: false, looked: 0, oldest: undefined, newest: undefined }
  for (let after = from; ; ) {
    const limit = Math.min(STEP, most - found.looked)
    const { rows } = await sql<Step>`
      select count(*) as passed, max(id) as last, sum(open) as open,
        min(case when open = 1 then id end) as oldest, max(case when open = 1 then id end) as newest
      from (
        select failed.id, case when exists (
          select 1 from delivery later
          where later.event_id = failed.event_id and later.webhook_id = failed.webhook_id and later.id > failed.id
        ) then 0 else 1 end as open
        from delivery failed
        where failed.webhook_id = ${webhookId} and failed.status = 'failed' and failed.sample = 0
          and failed.id >= ${from} and failed.id > ${after}
        order by failed.id limit ${limit}
      ) as step`.execute(db)
    const [step] = rows
    const { last = null, open = 0, oldest = null, newest = null } = step ?? {}
    found.count += Number(open ?? 0)
    found.oldest ??= oldest ?? undefined
    found.newest = newest ?? found.newest
    const passed = Number(step?.passed ?? 0)
    found.looked += passed
    if (last === null || passed < limit) return found
    if (found.looked >= most || found.count >= enough) return { ...found, atLeast: true }
    after = last
    await turn()
  }
}

/** Webhooks of any organization that have failed deliveries, made again or not. */
export async function webhooksWithFailures(db: Db): Promise<Id<'webhook'>[]> {
  const found: Id<'webhook'>[] = []
  for (let after = ''; found.length < MOST_WEBHOOKS; ) {
    // From each webhook to the next one, however many failures each has.
    const { rows } = await sql<{ id: Id<'webhook'> }>`
      with recursive next (id) as (
        select min(webhook_id) from delivery where status = 'failed' and sample = 0 and webhook_id > ${after}
        union all
        select (
          select min(webhook_id) from delivery
          where status = 'failed' and sample = 0 and webhook_id > next.id
        ) from next where next.id is not null
      )
      select id from next where id is not null limit ${sql.lit(STEP)}`.execute(db)
    found.push(...rows.map(({ id }) => id))
    const last = rows.at(-1)
    if (last === undefined || rows.length < STEP) break
    after = last.id
    await turn()
  }
  return found
}

/** When the first unclaimed delivery of a webhook is due, and one of the waiting deliveries that failed before. */
export async function readNextOf(
  db: Db,
  webhookId: Id<'webhook'>,
): Promise<{ dueAt: number | null; tried: Id<'delivery'> | undefined }> {
  const unclaimed = db
    .selectFrom('delivery')
    .where('webhook_id', '=', webhookId)
    .where(isUnclaimed({ table: 'delivery' }))
  const first = await unclaimed.select(({ fn }) => fn.min('due_at').as('due_at')).executeTakeFirst()
  // A retry is due last.
  const latest = await unclaimed.select(['id', 'attempts']).orderBy('due_at', 'desc').limit(20).execute()
  return { dueAt: first?.due_at ?? null, tried: latest.find(({ attempts }) => attempts > 0)?.id }
}
