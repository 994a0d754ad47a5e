import { turn } from '../../core/clock.ts'
import { type Id, momentOf } from '../../core/id.ts'
import type { Db } from '../../db/database.ts'
import { literal } from '../../db/literal.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { countOpenFailures, readWaitingOf, webhooksWithFailures } from '../../delivery/store/open-failures.ts'
import {
  type Count,
  MOST_COUNTED,
  openFloor,
  type Problem,
  type ProblemContext,
  type ProblemSource,
  type ProblemState,
} from '../../problems/problem.ts'
import { type Health, healthOf } from './webhook-health.ts'

/** Webhooks that are read in one statement. */
const PAGE = 200
/** Rows that are counted for one answer; each webhook beyond has `LEAST` of them looked at. */
const MOST_OF_ALL = 100_000
const LEAST = 100

type Webhook = Pick<
  Tables['webhook'],
  'id' | 'url' | 'status' | 'disabled_reason' | 'status_at' | 'updated_at'
>

/** A webhook that may have a problem. */
interface Candidate extends Webhook {
  newest_failed: Id<'delivery'> | null
}

/** While the organization itself is disabled, that is no problem of its webhooks. */
const SUSPENDED = 'organization_disabled'

/**
 * Webhooks that are disabled, that fail or are parked while something waits or failed in the last 7 days, and those with
 * deliveries that failed for good in that time and were not made again.
 */
export const webhookProblems: ProblemSource = {
  kind: 'webhook',
  module: 'webhooks',
  async find(db, { organizationId }, context) {
    const problems: Problem[] = []
    const claimed = await countClaimed(db, organizationId)
    let left = MOST_OF_ALL
    for (let after = '' as Id<'webhook'>; ; ) {
      const page = await readPageOf(db, context, (query) =>
        query
          .where('webhook.organization_id', '=', organizationId)
          .where('webhook.id', '>', after)
          .limit(PAGE),
      )
      const healths = await healthOf(db, page, context.now)
      for (const webhook of page) {
        const health = healths.get(webhook.id)
        if (health === undefined || !isSuspect(webhook, health)) continue
        const most = Math.min(MOST_COUNTED, Math.max(left, LEAST))
        const problem = await describe(db, webhook, health, { ...context, most, claimed })
        left -= (problem?.waiting?.count ?? 0) + (problem?.failed?.count ?? 0)
        if (problem !== undefined) problems.push(problem)
        await turn()
      }
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE) return problems
      after = last.id
      await turn()
    }
  },
  async count(db, context) {
    const ids = [...new Set([...(await webhooksWithFailures(db)), ...(await unhealthy(db))])]
    const total: Count = { count: 0, atLeast: ids.length >= MOST_COUNTED }
    for (let start = 0; start < ids.length; start += PAGE) {
      const some = ids.slice(start, start + PAGE)
      const page = await readPageOf(db, context, (query) => query.where('webhook.id', 'in', some))
      const healths = await healthOf(db, page, context.now)
      for (const webhook of page) {
        const health = healths.get(webhook.id)
        if (health === undefined || !isSuspect(webhook, health)) continue
        if (await isProblem(db, webhook, health, context)) total.count += 1
      }
      await turn()
    }
    return total
  },
}

function selectWebhooks(db: Db, { now }: ProblemContext) {
  const floor = openFloor('delivery', now)
  return db
    .selectFrom('webhook')
    .select(['webhook.id', 'url', 'webhook.status', 'disabled_reason', 'status_at', 'webhook.updated_at'])
    .select((where) =>
      where
        .selectFrom('delivery')
        .select(({ fn }) => fn.max('delivery.id').as('id'))
        .whereRef('delivery.webhook_id', '=', 'webhook.id')
        .where('delivery.status', '=', literal('failed'))
        .where('delivery.sample', '=', literal(0))
        .where('delivery.id', '>=', floor)
        .as('newest_failed'),
    )
    .where('webhook.status', '!=', 'deleted')
    .orderBy('webhook.id')
}
type Query = ReturnType<typeof selectWebhooks>

async function readPageOf(
  db: Db,
  context: ProblemContext,
  narrow: (query: Query) => Query,
): Promise<Candidate[]> {
  return (await narrow(selectWebhooks(db, context)).execute()) as Candidate[]
}

function isSuspect({ newest_failed, disabled_reason }: Candidate, { state }: Health): boolean {
  if (state === 'disabled' && disabled_reason === SUSPENDED) return false
  return newest_failed !== null || (state !== 'delivering' && state !== 'paused')
}

/** Whether `describe` finds a problem, without counting it. */
async function isProblem(
  db: Db,
  { id, newest_failed }: Candidate,
  { state }: Health,
  { now }: ProblemContext,
): Promise<boolean> {
  if (state === 'disabled') return true
  if (newest_failed !== null) {
    const failures = await countOpenFailures(db, id, openFloor('delivery', now), MOST_COUNTED, 1)
    if (failures.count > 0) return true
  }
  if (state !== 'failing' && state !== 'parked') return false
  const waits = await db
    .selectFrom('delivery')
    .select('id')
    .where('webhook_id', '=', id)
    .where('status', '=', 'pending')
    .limit(1)
    .executeTakeFirst()
  return waits !== undefined
}

const STATE_OF: Record<Health['state'], ProblemState> = {
  ...{ disabled: 'disabled', parked: 'parked', failing: 'failing' },
  ...{ delivering: 'failed', paused: 'failed' },
}

const NOTHING = { count: 0, dueAt: null, tried: undefined }

/** @returns undefined where nothing waits and nothing failed of late */
async function describe(
  db: Db,
  { id, url, newest_failed }: Candidate,
  health: Health,
  { now, most, claimed }: ProblemContext & { most: number; claimed: ReadonlyMap<Id<'webhook'>, number> },
): Promise<Problem | undefined> {
  const failures =
    newest_failed === null ? undefined : await countOpenFailures(db, id, openFloor('delivery', now), most)
  const state = STATE_OF[health.state]
  // What waits for a webhook that takes deliveries is no part of the problem.
  const { count, dueAt, tried } = state === 'failed' ? NOTHING : await readWaitingOf(db, id, most + 1)
  const inHand = state === 'failed' ? 0 : (claimed.get(id) ?? 0)
  const waiting = { count: Math.min(count, most) + inHand, atLeast: count > most }
  const { oldest, newest } = failures ?? {}
  const failed =
    failures === undefined || oldest === undefined
      ? null
      : {
          ...{ count: failures.count, atLeast: failures.atLeast },
          ...{ since: momentOf(oldest), until: now },
        }
  if (failed === null && (state === 'failed' || (state !== 'disabled' && waiting.count === 0)))
    return undefined
  const nextAt = health.nextAttemptAt ?? (state === 'failed' || (dueAt ?? 0) <= now ? null : dueAt)
  return {
    id: `webhook:${id}`,
    kind: 'webhook',
    state,
    subjectId: id,
    subject: url,
    reason: state === 'failed' ? null : health.reason,
    since: (state === 'failed' ? failed?.since : health.since) ?? now,
    nextAt: state === 'disabled' ? null : nextAt,
    waiting: waiting.count === 0 ? null : waiting,
    failed,
    balance: null,
    exampleId: newest ?? tried ?? null,
  }
}

/** Workers have some thousands in hand at most, of all organizations. */
async function countClaimed(db: Db, organizationId: Id<'organization'>): Promise<Map<Id<'webhook'>, number>> {
  const rows = await db
    .selectFrom('delivery')
    .select(['webhook_id', ({ fn }) => fn.countAll<number>().as('count')])
    .where('claim_id', 'is not', null)
    .where('organization_id', '=', organizationId)
    .groupBy('webhook_id')
    .execute()
  return new Map(rows.map(({ webhook_id, count }) => [webhook_id, Number(count)]))
}

/** Webhooks of any organization that fail or are disabled. */
async function unhealthy(db: Db): Promise<Id<'webhook'>[]> {
  const failing = await db
    .selectFrom('lane')
    .select('webhook_id as id')
    .where('failing_at', 'is not', null)
    .limit(MOST_COUNTED)
    .execute()
  const disabled = await db
    .selectFrom('webhook')
    .select('id')
    .where('status', '=', literal('disabled'))
    .limit(MOST_COUNTED)
    .execute()
  return [...failing, ...disabled].map(({ id }) => id)
}
