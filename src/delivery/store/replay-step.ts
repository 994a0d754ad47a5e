import { sql } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import { type Id, idFloor } from '../../core/id.ts'
import { type Database, type Db, noteChanges, type Tx } from '../../db/database.ts'
import { literal } from '../../db/literal.ts'
import { lock } from '../../db/locking.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { holdEvents, insertDeliveries, orderAfter, redelivered } from './delivery-row.ts'
import { endOfWindow, type Window } from './windows.ts'

type Replay = Tables['replay']

type Statuses = Tables['delivery']['status'][]

/** What a replay asks for, whichever part of it is looked at. */
export interface Wanted {
  webhookId: Id<'webhook'>
  filter: Replay['filter']
  /** Where its time ends. */
  end: Id<'delivery'>
}

/** The newest delivery of a delivery's event to its webhook, itself perhaps. */
const NEWEST = sql`from delivery as newest
  where newest.event_id = delivery.event_id and newest.webhook_id = delivery.webhook_id
  order by newest.id desc limit 1`

/**
 * The deliveries of a window that ended as the filter says, one for each event whose newest delivery, by whomever it was
 * made, has ended so: who has recovered meanwhile, or is on the way again, is left alone. Ids are ordered by time.
 */
export function selectSources(db: Db | Tx, { webhookId, filter, end }: Wanted, { from, before }: Window) {
  const statuses: Statuses = filter === 'all' ? ['delivered', 'failed'] : [filter]
  return db
    .selectFrom('delivery')
    .where('webhook_id', '=', webhookId)
    .where('id', '>=', from)
    .where('id', '<', before)
    .where('status', 'in', statuses)
    .where('sample', '=', 0)
    .where(sql<Statuses[number]>`(select newest.status ${NEWEST})`, 'in', statuses)
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('delivery as later')
            .select('later.id')
            .whereRef('later.event_id', '=', 'delivery.event_id')
            .whereRef('later.webhook_id', '=', 'delivery.webhook_id')
            .whereRef('later.id', '>', 'delivery.id')
            .where('later.id', '<', end)
            .where('later.status', 'in', statuses),
        ),
      ),
    )
}

/** Deliveries made again in one step, which looks at one window at most: small, so that nobody waits for it. */
const STEP = 500

/** What a step of the running replays did. */
export interface ReplayStep {
  /** Webhooks that have new deliveries; while there are any, there may be more to do. */
  webhooks: Id<'webhook'>[]
}

/** Replays that are moved on in one go. */
const MOST_REPLAYS = 20

/**
 * The running replays whose turn it is: however many an organization has begun, the oldest of each comes before the second
 * of any, and of these the one that has waited longest for its step.
 */
async function selectRunning(db: Db): Promise<Pick<Replay, 'id' | 'webhook_id'>[]> {
  const ranked = db
    .selectFrom('replay')
    .select(['id', 'webhook_id', 'updated_at'])
    .select(sql<number>`row_number() over (partition by organization_id order by id)`.as('place'))
    .where('status', '=', literal('running'))
  return db
    .selectFrom(ranked.as('ranked'))
    .select(['id', 'webhook_id'])
    .orderBy('place')
    .orderBy('updated_at')
    .orderBy('id')
    .limit(MOST_REPLAYS)
    .execute()
}

/**
 * One step of the running replays whose turn it is. The position moves in the transaction that makes the deliveries, so that
 * a crash neither loses nor repeats any.
 */
export async function stepReplays(database: Database, now: Millis): Promise<ReplayStep> {
  const webhooks: Id<'webhook'>[] = []
  for (const { id, webhook_id } of await selectRunning(database.db)) {
    const webhookId = await database.tx(async (tx) => {
      // Two replays of one webhook would each find the same event not made again yet.
      await lock(tx, tx.selectFrom('webhook').select('id').where('id', '=', webhook_id)).execute()
      return stepReplay(tx, database, id, now)
    })
    if (webhookId !== undefined) webhooks.push(webhookId)
  }
  return { webhooks }
}

async function stepReplay(
  tx: Tx,
  { skipLocked }: Database,
  id: Id<'replay'>,
  now: Millis,
): Promise<Id<'webhook'> | undefined> {
  const replay = await tx
    .selectFrom('replay')
    .selectAll()
    .where('id', '=', id)
    .where('status', '=', literal('running'))
    .$call(skipLocked)
    .executeTakeFirst()
  if (replay === undefined) return undefined
  noteChanges(tx, 'replay', [replay])
  const { webhook_id: webhookId, position, since, until, filter } = replay
  const span = {
    // Right after the last that was looked at: no id is as long.
    from: (position === '' ? idFloor('delivery', since) : `${position}.`) as Id<'delivery'>,
    before: idFloor('delivery', until),
  }
  const end = await endOfWindow(tx, webhookId, span)
  const sources = await selectSources(tx, { webhookId, filter, end: span.before }, span)
    .$if(end !== undefined, (query) => query.where('id', '<=', end as Id<'delivery'>))
    .selectAll()
    .select(sql<Id<'delivery'>>`(select newest.id ${NEWEST})`.as('newest'))
    .orderBy('id')
    .limit(STEP)
    .execute()
  const next = sources.length < STEP && end !== undefined ? end : sources.at(-1)?.id
  if (next === undefined) {
    await tx
      .updateTable('replay')
      .set({ status: 'completed', updated_at: now })
      .where('id', '=', id)
      .execute()
    return undefined
  }
  // What it makes is never among what it is to make, wherever the clock has been set meanwhile.
  const order = Math.max(now, until, ...sources.map(({ newest }) => orderAfter(newest, now)))
  const events = await holdEvents(
    tx,
    sources.map(({ event_id }) => event_id),
  )
  const made = sources
    .filter(({ event_id }) => events.has(event_id))
    .map(({ newest: _, ...source }) => redelivered(source, now, order))
  if (made.length > 0) await insertDeliveries(tx, made)
  const replayed = replay.replayed + made.length
  await tx
    .updateTable('replay')
    // What has failed since it was counted is made again too.
    .set({ position: next, replayed, total: Math.max(replay.total, replayed), updated_at: now })
    .where('id', '=', id)
    .execute()
  return webhookId
}
