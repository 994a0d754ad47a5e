import { type Millis, turn } from '../../core/clock.ts'
import { type Id, momentOf } from '../../core/id.ts'
import { pagesOf } from '../../core/pages.ts'
import type { Db } from '../../db/database.ts'
import { literal } from '../../db/literal.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { readOpen } from '../../delivery/counts/read-counts.ts'
import {
  countOpenFailures,
  type OpenFailures,
  readNextOf,
  webhooksWithFailures,
} from '../../delivery/lists/open-failures.ts'
import {
  type Count,
  MOST_COUNTED,
  openFloor,
  type Problem,
  type ProblemContext,
  type ProblemSource,
  type ProblemState,
  toCount,
} from '../../problems/problem.ts'
import { type Health, healthOf } from './webhook-health.ts'

/** Webhooks that one statement reads. */
const PAGE = 200
/** Most failed deliveries that one answer reads. */
interface Bounds {
  /** Of all webhooks together. */
  ofAll: number
  /** Of one webhook. */
  ofOne: number
  /** For each webhook after that total is reached. */
  beyond: number
}

export const FAILURE_BOUNDS: Bounds = { ofAll: 100_000, ofOne: MOST_COUNTED, beyond: 100 }

type Webhook = Pick<
  Tables['webhook'],
  'id' | 'url' | 'status' | 'disabled_reason' | 'status_at' | 'listener' | 'listened_at'
>

/** A webhook that may have a problem. */
interface Candidate extends Webhook {
  newest_failed: Id<'delivery'> | null
}

/** The reason of webhooks that are disabled with their organization; they have no problem of their own. */
const SUSPENDED = 'organization_disabled'

/**
 * Webhooks that are disabled, webhooks that fail or are parked while deliveries wait or failed in the last 7 days, and
 * webhooks with final failures in that time that were not redelivered.
 */
export const webhookProblems = webhookProblemsWithin(FAILURE_BOUNDS)

/** The source of webhook problems, with limits to the failed deliveries that one answer reads. */
export function webhookProblemsWithin(bounds: Bounds): ProblemSource {
  /** How many failed deliveries of the next webhook may be read. */
  const mostOf = (left: number) => Math.min(bounds.ofOne, Math.max(left, bounds.beyond))
  return {
    kind: 'webhook',
    permission: 'webhooks:read',
    async find(db, { organizationId }, context) {
      const problems: Problem[] = []
      let left = bounds.ofAll
      const pages = pagesOf<Candidate>(PAGE, (last) =>
        readPageOf(db, context, (query) =>
          query
            .where('webhook.organization_id', '=', organizationId)
            .where('webhook.id', '>', last?.id ?? ('' as Id<'webhook'>))
            .limit(PAGE),
        ),
      )
      for await (const page of pages) {
        const healths = await healthOf(db, page, context.now)
        for (const webhook of page) {
          const health = healths.get(webhook.id)
          if (health === undefined || !isSuspect(webhook, health)) continue
          const { problem, looked } = await describe(
            db,
            organizationId,
            webhook,
            health,
            context.now,
            mostOf(left),
          )
          left -= looked
          if (problem !== undefined) problems.push(problem)
          await turn()
        }
      }
      return problems
    },
    async count(db, context) {
      const ids = [...new Set([...(await webhooksWithFailures(db)), ...(await unhealthy(db))])]
      const total: Count = { count: 0, atLeast: ids.length >= MOST_COUNTED }
      let left = bounds.ofAll
      for (let start = 0; start < ids.length; start += PAGE) {
        const some = ids.slice(start, start + PAGE)
        const page = await readPageOf(db, context, (query) => query.where('webhook.id', 'in', some))
        const healths = await healthOf(db, page, context.now)
        for (const webhook of page) {
          const health = healths.get(webhook.id)
          if (health === undefined || !isSuspect(webhook, health)) continue
          const { isProblem, looked } = await judge(db, webhook, health, context.now, mostOf(left))
          left -= looked
          if (isProblem === true) total.count += 1
          total.atLeast ||= isProblem === undefined
        }
        await turn()
      }
      return total
    },
  }
}

function selectWebhooks(db: Db, { now }: ProblemContext) {
  const floor = openFloor('delivery', now)
  return db
    .selectFrom('webhook')
    .select([
      'webhook.id',
      'url',
      'webhook.status',
      'disabled_reason',
      'status_at',
      'listener',
      'listened_at',
    ])
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

/**
 * Determines whether `describe` would find a problem, without counting it.
 * @returns `isProblem`: undefined where all deliveries that were read have been redelivered, and more may follow
 */
async function judge(
  db: Db,
  { id, newest_failed }: Candidate,
  { state }: Health,
  now: Millis,
  most: number,
): Promise<{ isProblem: boolean | undefined; looked: number }> {
  if (state === 'disabled') return { isProblem: true, looked: 0 }
  const failures =
    newest_failed === null ? undefined : await countOpenFailures(db, id, openFloor('delivery', now), most, 1)
  const { count = 0, atLeast = false, looked = 0 } = failures ?? {}
  if (count > 0) return { isProblem: true, looked }
  const unknown = atLeast ? undefined : false
  if (state !== 'failing' && state !== 'parked') return { isProblem: unknown, looked }
  const waits = await db
    .selectFrom('delivery')
    .select('id')
    .where('webhook_id', '=', id)
    .where('status', '=', 'pending')
    .limit(1)
    .executeTakeFirst()
  return { isProblem: waits !== undefined || unknown, looked }
}

const STATE_OF: Record<Health['state'], ProblemState> = {
  ...{ disabled: 'disabled', parked: 'parked', failing: 'failing' },
  ...{ delivering: 'failed', paused: 'failed' },
}

/**
 * @param most failed deliveries that may be read
 * @returns no problem where nothing waits and nothing failed in the last 7 days; the number of failed deliveries that
 * were read
 */
async function describe(
  db: Db,
  organizationId: Id<'organization'>,
  { id, url, newest_failed }: Candidate,
  health: Health,
  now: Millis,
  most: number,
): Promise<{ problem: Problem | undefined; looked: number }> {
  // Read first: a delivery that fails between the two reads is missing from this answer instead of counted twice.
  const failures =
    newest_failed === null ? undefined : await countOpenFailures(db, id, openFloor('delivery', now), most)
  const state = STATE_OF[health.state]
  // Waiting deliveries of a working webhook are not a problem.
  const isWaitedFor = state !== 'failed'
  const open = isWaitedFor ? await readOpen(db, { organizationId, webhookId: id }) : { pending: 0, held: 0 }
  const { dueAt, tried } = isWaitedFor ? await readNextOf(db, id) : { dueAt: null, tried: undefined }
  const waiting = toCount(open.pending + open.held)
  const failed = failures === undefined ? null : toFailed(failures, now)
  const looked = failures?.looked ?? 0
  if (failed === null && (!isWaitedFor || (state !== 'disabled' && waiting.count === 0)))
    return { problem: undefined, looked }
  const nextAt = health.nextAttemptAt ?? ((dueAt ?? 0) <= now ? null : dueAt)
  const problem: Problem = {
    id: `webhook:${id}`,
    kind: 'webhook',
    state,
    subjectId: id,
    subject: url,
    reason: isWaitedFor ? health.reason : null,
    since: (isWaitedFor ? health.since : failed?.since) ?? now,
    nextAt: state === 'disabled' ? null : nextAt,
    waiting: waiting.count === 0 ? null : waiting,
    failed,
    balance: null,
    exampleId: failures?.newest ?? tried ?? null,
  }
  return { problem, looked }
}

/**
 * The failures in the form of the answer. Times come from delivery ids, as in a replay, so a clock that was set back
 * does not matter.
 */
function toFailed({ count, atLeast, oldest, newest }: OpenFailures, now: Millis): Problem['failed'] {
  if (oldest === undefined || newest === undefined) return null
  return {
    ...{ count, atLeast },
    since: momentOf(oldest),
    until: Math.max(now, momentOf(newest) + 1),
  }
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
