import { sql } from 'kysely'
import { turn } from '../../core/clock.ts'
import { type Id, idFloor } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'
import { literal } from '../../db/literal.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { WINDOW } from '../../db/windows.ts'
import { errorClassOf } from '../attempt/error-class.ts'
import { ofLast } from '../lists/newest-first.ts'
import { type Window, windowsOf } from '../lists/windows.ts'

type Replay = Tables['replay']
type Statuses = Tables['delivery']['status'][]

/** The filters of deliveries besides status, time and webhook; several names are separated by commas. */
export interface Criteria {
  eventId?: Id<'event'>
  eventType?: string
  /** Of the answer to the last attempt: `503`, or `5xx`. */
  statusCode?: string
  errorClass?: string
  ids?: Id<'delivery'>[]
}

/** What a replay asks for. */
export type Asked = Pick<Replay, 'organization_id' | 'webhook_id' | 'since' | 'until' | 'filter'> & {
  criteria: Criteria
}

/** The criteria of a replay for one webhook, the same in all of its steps. */
interface Wanted extends Pick<Asked, 'filter' | 'criteria'> {
  webhookId: Id<'webhook'>
  /** Where its time ends. */
  end: Id<'delivery'>
}

/** How the last attempt of a delivery ended. */
interface LastAttempt {
  last_status_code: number | null
  last_failure: string | null
  reason: string | null
}

/** The error class of the last attempt of a delivery. */
export function lastErrorClass({ last_status_code, last_failure, reason }: LastAttempt) {
  return errorClassOf(last_status_code, last_failure ?? reason)
}

/** @returns whether the last attempt of a delivery matches the criteria; undefined where the criteria ask nothing of it */
export function readCriteria({
  statusCode,
  errorClass,
}: Pick<Criteria, 'statusCode' | 'errorClass'>): ((row: LastAttempt) => boolean) | undefined {
  if (statusCode === undefined && errorClass === undefined) return undefined
  const code = statusCode?.replace('xx', '') ?? ''
  const classes = errorClass === undefined ? undefined : new Set<string | null>(errorClass.split(','))
  return (row) =>
    String(row.last_status_code ?? '').startsWith(code) && (classes?.has(lastErrorClass(row)) ?? true)
}

/** What `readCriteria` reads. */
export const LAST_ATTEMPT = [
  ofLast<number | null>('status_code').as('last_status_code'),
  ofLast<string | null>('failure').as('last_failure'),
] as const

/** The newest delivery of a delivery's event to its webhook, itself perhaps. */
export const NEWEST = sql`from delivery as newest
  where newest.event_id = delivery.event_id and newest.webhook_id = delivery.webhook_id
  order by newest.id desc limit 1`

/** The final statuses that a filter selects; pending deliveries are selected apart. */
const ENDED: Record<Replay['filter'], Statuses> = {
  failed: ['failed'],
  delivered: ['delivered'],
  all: ['delivered', 'failed'],
  pending: [],
  undelivered: ['failed'],
}

/**
 * The deliveries of a window that ended as the filter says: one for each event whose newest delivery has ended so. An event that
 * was delivered since, or has a delivery under way, is left out. Waiting deliveries are taken as they are. Ids are ordered by
 * time.
 */
export function selectSources(
  db: Db | Tx,
  { webhookId, filter, criteria: { eventId, eventType, ids }, end }: Wanted,
  { from, before }: Window,
) {
  const ended = ENDED[filter]
  const waiting: Statuses = filter === 'pending' || filter === 'undelivered' ? ['pending'] : []
  return db
    .selectFrom('delivery')
    .where('webhook_id', '=', webhookId)
    .where('id', '>=', from)
    .where('id', '<', before)
    .where('status', 'in', [...waiting, ...ended])
    .where('sample', '=', 0)
    .$if(eventId !== undefined, (query) => query.where('event_id', '=', eventId as Id<'event'>))
    .$if(eventType !== undefined, (query) => query.where('event_type', '=', eventType ?? ''))
    .$if(ids !== undefined, (query) => query.where('id', 'in', ids ?? []))
    .$if(ended.length > 0, (query) =>
      query.where((where) => {
        const isLast = where.and([
          where(sql<Statuses[number]>`(select newest.status ${NEWEST})`, 'in', ended),
          where.not(
            where.exists(
              where
                .selectFrom('delivery as later')
                .select('later.id')
                .whereRef('later.event_id', '=', 'delivery.event_id')
                .whereRef('later.webhook_id', '=', 'delivery.webhook_id')
                .whereRef('later.id', '>', 'delivery.id')
                .where('later.id', '<', end)
                .where('later.status', 'in', ended)
                .$if(ids !== undefined, (later) => later.where('later.id', 'in', ids ?? [])),
            ),
          ),
        ])
        return waiting.length > 0 ? where.or([where('status', 'in', waiting), isLast]) : isLast
      }),
    )
}

/** Webhooks that one query searches for deliveries of a time. */
const PAGE = 500

/**
 * The next webhook of an organization to search: the first one with a delivery of the time, or the last of a page in which none has
 * any.
 */
export async function nextWebhook(
  db: Db | Tx,
  { organization_id, criteria: { ids }, since, until }: Omit<Asked, 'filter' | 'webhook_id'>,
  after: Id<'webhook'> | '',
): Promise<Id<'webhook'> | undefined> {
  const following = db
    .selectFrom('webhook')
    .select('webhook.id')
    .where('webhook.organization_id', '=', organization_id)
    .where('webhook.status', '!=', literal('deleted'))
    .where('webhook.id', '>', after as Id<'webhook'>)
    .orderBy('webhook.id')
  if (ids !== undefined) {
    const named = db.selectFrom('delivery').select('webhook_id').where('id', 'in', ids)
    return (await following.where('webhook.id', 'in', named).limit(1).executeTakeFirst())?.id
  }
  const found = await db
    .selectFrom(following.limit(PAGE).as('page'))
    .select('page.id')
    .where((where) =>
      where.exists(
        where
          .selectFrom('delivery')
          .select('delivery.id')
          .whereRef('delivery.webhook_id', '=', 'page.id')
          .where('delivery.id', '>=', idFloor('delivery', since))
          .where('delivery.id', '<', idFloor('delivery', until)),
      ),
    )
    .orderBy('page.id')
    .limit(1)
    .executeTakeFirst()
  if (found !== undefined) return found.id
  return (
    await following
      .offset(PAGE - 1)
      .limit(1)
      .executeTakeFirst()
  )?.id
}

/** Deliveries that a count reads at most; the last window of each webhook counts as `COST_OF_REST`. */
const MOST_COUNTED = 500_000
const COST_OF_REST = 250

/** How many deliveries the criteria match; a lower bound where there are too many to read. */
export interface Count {
  matched: number
  atLeast: boolean
}

/** Counts the deliveries that match, newest first within each webhook. Other work has turns in between. */
export async function countSources(db: Db, asked: Asked): Promise<Count> {
  let matched = 0
  let passed = 0
  const span = { from: idFloor('delivery', asked.since), before: idFloor('delivery', asked.until) }
  for await (const webhookId of webhooksOf(db, asked)) {
    const wanted = { ...asked, webhookId, end: span.before }
    // Named deliveries are few.
    const windows = asked.criteria.ids === undefined ? windowsOf(db, webhookId, span) : [span]
    for await (const window of windows) {
      if (passed >= MOST_COUNTED) return { matched, atLeast: true }
      matched += await countWindow(db, wanted, window)
      passed += window.from === span.from ? COST_OF_REST : WINDOW
    }
  }
  return { matched, atLeast: false }
}

async function* webhooksOf(db: Db, asked: Asked): AsyncGenerator<Id<'webhook'>, void, undefined> {
  if (asked.webhook_id !== null) return yield asked.webhook_id
  for (let after: Id<'webhook'> | '' = ''; ; ) {
    const next = await nextWebhook(db, asked, after)
    if (next === undefined) return
    yield next
    after = next
    await turn()
  }
}

async function countWindow(db: Db, wanted: Wanted, window: Window): Promise<number> {
  const sources = selectSources(db, wanted, window)
  const isWanted = readCriteria(wanted.criteria)
  if (isWanted === undefined) {
    const row = await sources.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
    return Number(row.count)
  }
  const kinds = await db
    .selectFrom(sources.select(['reason', ...LAST_ATTEMPT]).as('source'))
    .select(['reason', 'last_status_code', 'last_failure'])
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .groupBy(['reason', 'last_status_code', 'last_failure'])
    .execute()
  return kinds.filter(isWanted).reduce((sum, kind) => sum + Number(kind.count), 0)
}
