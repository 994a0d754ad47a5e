import { MINUTE, type Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { type Database, type Db, noteChanges, type Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { type LaneState, type LaneStore, MOST_REMEMBERED } from '../../jobs/lanes/lane-states.ts'
import type { DeliveryJob } from '../attempt/delivery-job.ts'

type State = LaneState<DeliveryJob>
type Row = Omit<Tables['lane'], 'webhook_id' | 'organization_id'>

/** Rows of one statement. */
const STEP = 500

/** How long a stored `parked_at` is valid: each heartbeat writes it again, so an older one is from an ended process. */
const PARKED_FOR: Millis = MINUTE

/** The latest failing lanes are read, up to this number, because every heartbeat reads them. */
const MOST_FAILING = 10_000

const NOT_FAILING = { parked_at: null, probe_at: null, failing_at: null, cause: null }

/** Keeps the states of lanes in the table `lane`. A power cut may undo a write: these lanes then begin as new ones. */
export function createLaneStore(database: Database): LaneStore<DeliveryJob> {
  const { db } = database
  return {
    async load() {
      const newest = db.selectFrom('lane').selectAll().orderBy('updated_at', 'desc').limit(MOST_REMEMBERED)
      return (await newest.execute()).map((row) => ({ laneId: row.webhook_id, ...stateOf(row) }))
    },

    async save(states, now) {
      for (let start = 0; start < states.length; start += STEP)
        await database.relaxed((tx) => saveStep(tx, states.slice(start, start + STEP), now))
    },

    async failing(now) {
      const rows = await db
        .selectFrom('lane')
        .select(['webhook_id', 'parked_at', 'updated_at'])
        .where('failing_at', 'is not', null)
        .orderBy('updated_at', 'desc')
        .limit(MOST_FAILING)
        .execute()
      return rows.map(({ webhook_id, parked_at, updated_at }) => ({
        laneId: webhook_id,
        isParked: parked_at !== null && updated_at > now - PARKED_FOR,
      }))
    },

    async clear(webhookIds, now) {
      for (let start = 0; start < webhookIds.length; start += STEP)
        await database.relaxed(async (tx) => {
          const cleared = await tx
            .updateTable('lane')
            .set({ ...NOT_FAILING, updated_at: now })
            .where('webhook_id', 'in', webhookIds.slice(start, start + STEP))
            .where('failing_at', 'is not', null)
            .returning(['webhook_id as id', 'organization_id'])
            .execute()
          noteChanges(tx, 'webhook', cleared)
        })
    },
  }
}

async function saveStep(tx: Tx, states: State[], now: Millis): Promise<void> {
  // A deleted webhook gets no row.
  const present = await tx
    .selectFrom('webhook')
    .leftJoin('lane', 'lane.webhook_id', 'webhook.id')
    .select(['webhook.id', 'webhook.organization_id', 'parked_at', 'failing_at', 'cause'])
    .where(
      'webhook.id',
      'in',
      states.map(({ laneId }) => laneId),
    )
    .where('status', '!=', 'deleted')
    .execute()
  const before = new Map(present.map((row) => [row.id, row]))
  const rows = states
    .flatMap(({ laneId, level, parkedAt, probeAt, failingAt, cause }) => {
      const webhook = before.get(laneId)
      if (webhook === undefined) return []
      return {
        webhook_id: laneId,
        organization_id: webhook.organization_id,
        level,
        parked_at: parkedAt,
        probe_at: probeAt,
        failing_at: failingAt,
        cause,
        updated_at: now,
      }
    })
    // In one order, so that two processes that write the same rows do not deadlock.
    .sort((a, b) => (a.webhook_id < b.webhook_id ? -1 : 1))
  if (rows.length === 0) return
  await tx
    .insertInto('lane')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('webhook_id').doUpdateSet(({ ref }) => ({
        level: ref('excluded.level'),
        parked_at: ref('excluded.parked_at'),
        probe_at: ref('excluded.probe_at'),
        failing_at: ref('excluded.failing_at'),
        cause: ref('excluded.cause'),
        updated_at: ref('excluded.updated_at'),
      })),
    )
    .execute()
  const changed = rows.flatMap((row) => {
    const old = before.get(row.webhook_id)
    const isShownSo =
      old?.failing_at === row.failing_at && old.cause === row.cause && old.parked_at === row.parked_at
    return old === undefined || isShownSo ? [] : { id: old.id, organization_id: old.organization_id }
  })
  noteChanges(tx, 'webhook', changed)
}

/** The last stored state of each lane; a webhook without one is missing. */
export async function findLanes(
  db: Db | Tx,
  webhookIds: Id<'webhook'>[],
  now: Millis,
): Promise<Map<Id<'webhook'>, Omit<State, 'laneId'>>> {
  if (webhookIds.length === 0) return new Map()
  const rows = await db.selectFrom('lane').selectAll().where('webhook_id', 'in', webhookIds).execute()
  return new Map(rows.map((row) => [row.webhook_id, validState(row, now)]))
}

/** The state of a row as it is valid now: a parked one is written with each heartbeat, so an older one has ended. */
function validState(row: Row, now: Millis): Omit<State, 'laneId'> {
  return row.updated_at > now - PARKED_FOR ? stateOf(row) : { ...stateOf(row), parkedAt: null, probeAt: null }
}

function stateOf(row: Row): Omit<State, 'laneId'> {
  const { level, parked_at: parkedAt, probe_at: probeAt, failing_at: failingAt, cause } = row
  return { level, parkedAt, probeAt, failingAt, cause }
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
