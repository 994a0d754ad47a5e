import { sql } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import { forEachDespiteErrors } from '../../core/for-each-despite-errors.ts'
import { type Id, idFloor } from '../../core/id.ts'
import { type Database, type Db, noteChanges, type Tx } from '../../db/database.ts'
import { literal } from '../../db/literal.ts'
import { lock } from '../../db/locking.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { isUnclaimed } from '../../jobs/queue/queue-rows.ts'
import { endOfWindow } from '../lists/windows.ts'
import { holdEvents, insertDeliveries, newDeliveryRow, orderAfter } from '../queue/delivery-row.ts'
import {
  type Asked,
  type Criteria,
  LAST_ATTEMPT,
  NEWEST,
  nextWebhook,
  readCriteria,
  selectSources,
} from './replay-sources.ts'

type Replay = Tables['replay']
type Delivery = Tables['delivery']

/** Deliveries made again or made due in one step, which reads one window at most: few, so that other writers wait only briefly. */
const STEP = 500

/** Replays that are moved on in one go. */
const MOST_REPLAYS = 20

/**
 * The running replays that have their turn: the oldest of each organization comes before the second of any, and of equals the one
 * that has waited longest for its step.
 */
async function selectRunning(db: Db): Promise<Pick<Replay, 'id' | 'at_webhook_id'>[]> {
  const ranked = db
    .selectFrom('replay')
    .select(['id', 'at_webhook_id', 'updated_at'])
    .select(sql<number>`row_number() over (partition by organization_id order by id)`.as('place'))
    .where('status', '=', literal('running'))
  return db
    .selectFrom(ranked.as('ranked'))
    .select(['id', 'at_webhook_id'])
    .orderBy('place')
    .orderBy('updated_at')
    .orderBy('id')
    .limit(MOST_REPLAYS)
    .execute()
}

/**
 * Makes one step of the running replays whose turn it is. The transaction that makes the deliveries also moves the position, so that a
 * crash neither loses nor repeats a delivery.
 * @returns webhooks with new or newly due deliveries; while there are any, there may be more to do
 * @throws the first error of a replay, after the steps of all others; the next poll continues
 */
export async function stepReplays(database: Database, now: Millis): Promise<Id<'webhook'>[]> {
  const webhooks: Id<'webhook'>[] = []
  const failures: unknown[] = []

  async function step({ id, at_webhook_id: at }: Pick<Replay, 'id' | 'at_webhook_id'>): Promise<void> {
    const webhookId = await database.tx(async (tx) => {
      // Two replays of one webhook would each find the same event not made again yet.
      const webhook = tx
        .selectFrom('webhook')
        .select(['id', 'status'])
        .where('id', '=', at as Id<'webhook'>)
      const { status } = (await lock(tx, webhook).executeTakeFirst()) ?? { status: 'deleted' }
      const replay = await tx
        .selectFrom('replay')
        .selectAll()
        .where('id', '=', id)
        .where('at_webhook_id', '=', at)
        .where('status', '=', literal('running'))
        .$call(database.skipLocked)
        .executeTakeFirst()
      if (replay === undefined) return undefined
      noteChanges(tx, 'replay', [replay])
      if (status === 'deleted') return moveOn(tx, replay, now)
      return (await stepReplay(tx, replay, now)) ? (at as Id<'webhook'>) : moveOn(tx, replay, now)
    })
    if (webhookId !== undefined) webhooks.push(webhookId)
  }

  await forEachDespiteErrors(await selectRunning(database.db), step, (error) => failures.push(error))
  if (failures.length > 0) throw failures[0]
  return webhooks
}

/** What a replay asks for, as its row has it. */
function askedOf(replay: Replay): Asked {
  return { ...replay, criteria: JSON.parse(replay.criteria) as Criteria }
}

/** Goes to the next webhook, or ends. @returns that webhook */
async function moveOn(tx: Tx, replay: Replay, now: Millis): Promise<Id<'webhook'> | undefined> {
  const next =
    replay.webhook_id === null ? await nextWebhook(tx, askedOf(replay), replay.at_webhook_id) : undefined
  await tx
    .updateTable('replay')
    .set(next === undefined ? { status: 'completed' } : { at_webhook_id: next, position: '' })
    .set({ updated_at: now })
    .where('id', '=', replay.id)
    .execute()
  return next
}

/** Makes one step in the present webhook of a replay. @returns whether deliveries were left to read */
async function stepReplay(tx: Tx, replay: Replay, now: Millis): Promise<boolean> {
  const { id, at_webhook_id, position, since, until, filter } = replay
  const webhookId = at_webhook_id as Id<'webhook'>
  const { criteria } = askedOf(replay)
  const isWanted = readCriteria(criteria)
  const span = {
    // Right after the last that was looked at: no id is as long.
    from: (position === '' ? idFloor('delivery', since) : `${position}.`) as Id<'delivery'>,
    before: idFloor('delivery', until),
  }
  const end = criteria.ids === undefined ? await endOfWindow(tx, webhookId, span) : undefined
  const found = await selectSources(tx, { webhookId, filter, criteria, end: span.before }, span)
    .$if(end !== undefined, (query) => query.where('id', '<=', end as Id<'delivery'>))
    .selectAll()
    .select(isWanted === undefined ? NO_ATTEMPT : LAST_ATTEMPT)
    .select(sql<Id<'delivery'>>`(select newest.id ${NEWEST})`.as('newest'))
    .orderBy('id')
    .limit(STEP)
    .execute()
  const next = found.length < STEP && end !== undefined ? end : found.at(-1)?.id
  if (next === undefined) return false
  const sources = isWanted === undefined ? found : found.filter(isWanted)
  const waiting = sources.filter(({ status }) => status === 'pending')
  const ended = sources.filter(({ status }) => status !== 'pending')
  const count = (await makeDue(tx, waiting, now)) + (await redeliverEnded(tx, ended, now, until))
  const replayed = replay.replayed + count
  await tx
    .updateTable('replay')
    // Deliveries that failed after the count are included.
    .set({ position: next, replayed, total: Math.max(replay.total, replayed), updated_at: now })
    .where('id', '=', id)
    .execute()
  return true
}

/** Stands for a column that is not needed, and that may be stored in a row of its own. */
const NO_ATTEMPT = [
  sql<number | null>`null`.as('last_status_code'),
  sql<string | null>`null`.as('last_failure'),
] as const

/**
 * Makes deliveries due that wait for their next attempt. Due ones keep their moment, so that later ones do not overtake them;
 * claimed ones are not changed, because their attempt is under way. @returns how many were made due
 */
async function makeDue(tx: Tx, rows: Pick<Delivery, 'id'>[], now: Millis): Promise<number> {
  if (rows.length === 0) return 0
  const due = await tx
    .updateTable('delivery')
    .set({ due_at: sql`case when due_at < ${now} then due_at else ${now} end`, updated_at: now })
    .where(
      'id',
      'in',
      rows.map(({ id }) => id),
    )
    .where(isUnclaimed({ table: 'delivery' }))
    .returning(['id', 'organization_id'])
    .execute()
  noteChanges(tx, 'delivery', due)
  return due.length
}

/** Makes deliveries again that have ended, each as a new one. @returns how many */
async function redeliverEnded(
  tx: Tx,
  sources: (Delivery & { newest: Id<'delivery'> })[],
  now: Millis,
  until: Millis,
): Promise<number> {
  if (sources.length === 0) return 0
  // A replay never replays its own deliveries, even if the clock was set back after its beginning.
  const order = Math.max(now, until, ...sources.map(({ newest }) => orderAfter(newest, now)))
  const events = await holdEvents(
    tx,
    sources.map(({ event_id }) => event_id),
  )
  const made = sources
    .filter(({ event_id }) => events.has(event_id))
    .map((source) => newDeliveryRow(source, now, { order }))
  if (made.length > 0) await insertDeliveries(tx, made)
  return made.length
}
