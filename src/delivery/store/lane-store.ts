import { MINUTE, type Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Database, Db } from '../../db/database.ts'
import type { LaneState } from '../../jobs/turns/lane-memory.ts'
import type { DeliveryJob } from './job.ts'

type State = LaneState<DeliveryJob>

/** Rows of one statement. */
const STEP = 500

/** That a lane is parked is written again with each heartbeat; what is older than a few of them was true of a process that has ended. */
const PARKED_FOR: Millis = MINUTE

/** Writes down what has become of lanes. A power cut may take it back: they then begin as every lane does. */
export async function saveLanes(database: Database, states: State[], now: Millis): Promise<void> {
  for (let start = 0; start < states.length; start += STEP)
    await database.relaxed(async (tx) => {
      const some = states.slice(start, start + STEP)
      // Of what was deleted meanwhile nothing is remembered.
      const present = await tx
        .selectFrom('webhook')
        .select('id')
        .where(
          'id',
          'in',
          some.map(({ laneId }) => laneId),
        )
        .where('status', '!=', 'deleted')
        .execute()
      const ids = new Set(present.map(({ id }) => id))
      const rows = some
        .filter(({ laneId }) => ids.has(laneId))
        .map(({ laneId, level, parkedAt }) => ({
          webhook_id: laneId,
          level,
          parked_at: parkedAt,
          updated_at: now,
        }))
        // In one order, so that two processes that write the same ones do not wait for each other.
        .sort((a, b) => (a.webhook_id < b.webhook_id ? -1 : 1))
      if (rows.length === 0) return
      await tx
        .insertInto('lane')
        .values(rows)
        .onConflict((conflict) =>
          conflict.column('webhook_id').doUpdateSet(({ ref }) => ({
            level: ref('excluded.level'),
            parked_at: ref('excluded.parked_at'),
            updated_at: ref('excluded.updated_at'),
          })),
        )
        .execute()
    })
}

/** @param most lanes at most, those that were used last */
export async function loadLanes(db: Db, most: number): Promise<State[]> {
  const rows = await db
    .selectFrom('lane')
    .select(['webhook_id', 'level'])
    .orderBy('updated_at', 'desc')
    .limit(most)
    .execute()
  // Whether one is parked shows itself anew.
  return rows.map(({ webhook_id, level }) => ({ laneId: webhook_id, level, parkedAt: null }))
}

/** How a webhook is sent to, as it was written down last; undefined where it never was. */
export async function findLane(
  db: Db,
  webhookId: Id<'webhook'>,
  now: Millis,
): Promise<Omit<State, 'laneId'> | undefined> {
  const row = await db
    .selectFrom('lane')
    .select(['level', 'parked_at', 'updated_at'])
    .where('webhook_id', '=', webhookId)
    .executeTakeFirst()
  if (row === undefined) return undefined
  return { level: row.level, parkedAt: row.updated_at > now - PARKED_FOR ? row.parked_at : null }
}

/** How many active webhooks are parked. */
export async function countParked(db: Db, now: Millis): Promise<number> {
  const { count } = await db
    .selectFrom('lane')
    .innerJoin('webhook', 'webhook.id', 'lane.webhook_id')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('lane.updated_at', '>', now - PARKED_FOR)
    .where('lane.parked_at', 'is not', null)
    .where('webhook.status', '=', 'active')
    .executeTakeFirstOrThrow()
  return Number(count)
}
