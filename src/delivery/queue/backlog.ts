import { sql } from 'kysely'
import { type Millis, turn } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Database, Db } from '../../db/database.ts'
import { preparedByIds } from '../../db/engine/lists.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { BEFORE_ALL, createWalk, type Place } from '../../jobs/queue/walk.ts'

/** The numbers of deliveries that have not ended. */
interface Backlog {
  /** Unclaimed, of active webhooks, and due. */
  due: number
  /** Unclaimed, of active webhooks, and due later: retries. */
  scheduled: number
  /** Of webhooks that are not active. */
  held: number
  /** Claimed by a worker: queued in its memory, under way, or to be settled. */
  claimed: number
  /** Of accepted events: the fan-out has yet to write them. */
  unwritten: number
  /** When the oldest of the due deliveries became due. */
  oldestDueAt: Millis | undefined
}

/** Index entries read in one step: the embedded engine blocks the event loop for that time. */
const STEP = 2_000
/** Deliveries beyond this number are not counted. */
const MOST_COUNTED = 1_000_000

/** The unclaimed deliveries of one webhook. */
interface Count {
  all: number
  due: number
  oldest: Millis
}

const walk = createWalk({ table: 'delivery', lane: 'webhook_id' }, STEP)

/** Counts pending deliveries, up to a million of each kind, in steps between which other work has its turn. */
export async function readBacklog({ db }: Database, now: Millis): Promise<Backlog> {
  // Read first: a delivery that is written during the count is counted twice rather than not at all.
  const unwritten = await countUnwritten(db)
  const unclaimed = await countUnclaimed(db, now)
  const backlog: Backlog = {
    due: 0,
    scheduled: 0,
    held: 0,
    claimed: await countClaimed(db),
    unwritten,
    oldestDueAt: undefined,
  }
  for (const [id, { status, max_per_second }] of await selectWebhooks(db, unclaimed.keys())) {
    const { all, due, oldest } = unclaimed.get(id) as Count
    // The deliveries of a deleted webhook are never sent.
    if (status === 'deleted') continue
    if (status !== 'active') {
      backlog.held += all
      continue
    }
    backlog.due += due
    backlog.scheduled += all - due
    // A delivery that waits for its webhook's `maxPerSecond` is not late.
    if (due > 0 && max_per_second === null)
      backlog.oldestDueAt = Math.min(backlog.oldestDueAt ?? oldest, oldest)
  }
  return backlog
}

/** By webhook; the index is walked from one end to the other. */
async function countUnclaimed(db: Db, now: Millis): Promise<Map<Id<'webhook'>, Count>> {
  const counts = new Map<Id<'webhook'>, Count>()
  let place: Place | undefined = BEFORE_ALL
  for (let walked = 0; place !== undefined && walked < MOST_COUNTED; walked += STEP) {
    const from: Place = place
    const [to]: Place[] = await walk.placeAfter(db, from)
    place = to
    for (const { webhookId, all, due, oldest } of await countAfter(db, from, now)) {
      const before = counts.get(webhookId)
      counts.set(webhookId, {
        all: Number(all) + (before?.all ?? 0),
        due: Number(due) + (before?.due ?? 0),
        oldest: Math.min(oldest, before?.oldest ?? oldest),
      })
    }
    await turn()
  }
  return counts
}

/** The columns of the index entries of one step, in their order and without others, so that the index alone is read. */
async function countAfter(db: Db, from: Place, now: Millis) {
  const { rows } = await sql<{ webhookId: Id<'webhook'>; all: number; due: number; oldest: Millis }>`
    select webhook_id as "webhookId", count(*) as "all", min(due_at) as oldest,
      sum(case when due_at <= ${now} then 1 else 0 end) as due
    from (
      select webhook_id, due_at ${walk.after((name) => from[name])} order by ${walk.place} limit ${STEP}
    ) as entry
    group by webhook_id`.execute(db)
  return rows
}

/** Workers hold some thousands at most. */
async function countClaimed(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from delivery where claim_id is not null`.execute(db)
  return Number(rows[0]?.count ?? 0)
}

/** A row of the fan-out stands for up to a million deliveries; its ids are packed, 16 bytes each. */
async function countUnwritten(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number | null }>`
    select sum(length(events) / 16 * (length(webhooks) / 16) - position) as count
    from (select events, webhooks, position from fan_out limit ${STEP}) as few`.execute(db)
  return Number(rows[0]?.count ?? 0)
}

type Stand = Pick<Tables['webhook'], 'id' | 'status' | 'max_per_second'>

const selectWebhooks = preparedByIds<Stand>((db, list) =>
  sql<Stand>`select id, status, max_per_second from webhook where id in (${list})`.compile(db),
)
