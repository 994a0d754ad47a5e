import type { Millis } from '../core/clock.ts'
import { type Id, idFloor } from '../core/id.ts'
import type { Database, Db, Tx } from '../db/database.ts'
import { literal } from '../db/literal.ts'
import type { Tables } from '../db/tables.ts'
import { again, insertDeliveries } from './again.ts'
import { endOfWindow, type Window } from './windows.ts'

type Replay = Tables['replay']

/** The ended deliveries of a window; ids are ordered by time. */
export function selectSources(
  db: Db | Tx,
  webhookId: Id<'webhook'>,
  { from, before }: Window,
  filter: Replay['filter'],
) {
  const statuses: Tables['delivery']['status'][] = filter === 'all' ? ['delivered', 'failed'] : [filter]
  return db
    .selectFrom('delivery')
    .where('webhook_id', '=', webhookId)
    .where('id', '>=', from)
    .where('id', '<', before)
    .where('status', 'in', statuses)
}

/** Deliveries made again in one step, which looks at one window at most: small, so that nobody waits for it. */
const STEP = 500

/** What a step of the running replays did. */
export interface ReplayStep {
  /** Webhooks that have new deliveries; while there are any, there may be more to do. */
  webhooks: Id<'webhook'>[]
}

/**
 * One step of each running replay. The position moves in the transaction that makes the deliveries, so that a
 * crash neither loses nor repeats any.
 */
export async function stepReplays(database: Database, now: Millis): Promise<ReplayStep> {
  const running = await database.db
    .selectFrom('replay')
    .select('id')
    .where('status', '=', literal('running'))
    .orderBy('id')
    .limit(20)
    .execute()
  const webhooks: Id<'webhook'>[] = []
  for (const { id } of running) {
    const webhookId = await database.tx((tx) => stepReplay(tx, database, id, now))
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
  const { webhook_id: webhookId, position, since, until, filter } = replay
  const span = {
    // Right after the last that was looked at: no id is as long.
    from: (position === '' ? idFloor('delivery', since) : `${position}.`) as Id<'delivery'>,
    before: idFloor('delivery', until),
  }
  const end = await endOfWindow(tx, webhookId, span)
  const sources = await selectSources(tx, webhookId, span, filter)
    .$if(end !== undefined, (query) => query.where('id', '<=', end as Id<'delivery'>))
    .selectAll()
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
  await insertDeliveries(
    tx,
    // What it makes is never among what it is to make, wherever the clock has been set meanwhile.
    sources.map((source) => again(source, now, Math.max(now, until))),
  )
  await tx
    .updateTable('replay')
    .set({ position: next, replayed: replay.replayed + sources.length, updated_at: now })
    .where('id', '=', id)
    .execute()
  return webhookId
}
