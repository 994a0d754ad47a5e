import { sql } from 'kysely'
import { type Millis, SKEW } from '../../core/clock.ts'
import type { Database, Db, Tx } from '../../db/database.ts'
import type { Job } from '../job.ts'
import type { JobStore } from '../job-store.ts'
import { changing, createClockCorrection, type QueueRows } from './clock-correction.ts'
import { hasProcessEnded, THIS_PROCESS } from './process-identity.ts'

/**
 * The workers of one queue: names under which processes claim jobs, each with a lease that heartbeats extend. A name is never
 * used twice, so it identifies the generation of its claims.
 */
interface Workers extends Pick<JobStore<Job>, 'join' | 'keepAlive' | 'correct' | 'freeDead'> {
  /** As in `JobStore`; lanes are the ids of the table's lane column. */
  correctDue(now: Millis): Promise<string[]>
  remove(tx: Tx, workerId: string): Promise<void>
}

/** Claims freed by one statement. */
const MOST_FREED = 500

/**
 * Selects jobs whose claiming worker has no row; there are hardly ever any. The caller uses a connection with kept plans and
 * forced indexes: on a growing table PostgreSQL estimates that most rows are claimed, and would scan it.
 */
export function lostClaims(from: Db | Tx, { table, kind }: QueueRows) {
  return from
    .selectFrom(table as 'job')
    .select('id')
    .$if(kind !== undefined, (query) => query.where('kind', '=', kind as string))
    .where('claim_id', 'is not', null)
    .where('claim_id', 'not in', (workers) => workers.selectFrom('worker').select('id'))
    .orderBy('claim_id')
    .limit(MOST_FREED)
}

interface WorkersDeps {
  database: Database
  queue: string
  rows: QueueRows
  /** Runs a statement of a poll, which is aborted when the worker stops. */
  polling: <T>(work: () => Promise<T>) => Promise<T>
}

export function createWorkers({ database, queue, rows, polling }: WorkersDeps): Workers {
  const correctDue = createClockCorrection({ database, rows })
  /** Dead workers that are removed, and not yet returned because freeing their claims failed. */
  let died = 0

  /** Workers whose process has ended on this machine, so that they have nothing under way whatever their lease says. */
  async function ended(): Promise<string[]> {
    if (!database.shared) return []
    const workers = await database.db
      .selectFrom('worker')
      .select(['id', 'process'])
      .where('queue', '=', queue)
      .execute()
    return workers.flatMap(({ id, process }) => (process !== null && hasProcessEnded(process) ? [id] : []))
  }

  async function freeLost(now: Millis): Promise<void> {
    for (let isWhole = false; !isWhole; ) {
      const lost = await lostClaims(database.lookups, rows).execute()
      isWhole = lost.length < MOST_FREED
      if (lost.length === 0) return
      const ids = lost.map(({ id }) => id)
      await database.tx((tx) =>
        changing(tx, rows)
          .set({
            claim_id: null,
            // A claimed job was due, so a moment ahead of now was written by a wrong clock.
            due_at: sql`case when due_at > ${now + SKEW} then ${now} else due_at end`,
          })
          .where('id', 'in', ids)
          .where('claim_id', 'is not', null)
          .where('claim_id', 'not in', (from) => from.selectFrom('worker').select('id'))
          .execute(),
      )
    }
  }

  return {
    async join(workerId, aliveUntil) {
      await database.reserved.tx((tx) =>
        tx
          .insertInto('worker')
          .values({ id: workerId, queue, alive_until: aliveUntil, process: THIS_PROCESS })
          .execute(),
      )
    },

    async keepAlive(workerId, aliveUntil, now) {
      // A correct clock cannot have written a later moment.
      const latest = 2 * aliveUntil - now + SKEW
      const kept = await database.reserved.tx((tx) =>
        tx
          .updateTable('worker')
          // A delayed heartbeat does not overwrite a later one.
          .set({
            alive_until: sql`case when alive_until between ${aliveUntil} and ${latest} then alive_until else ${aliveUntil} end`,
          })
          .where('id', '=', workerId)
          .returning('id')
          .executeTakeFirst(),
      )
      return kept !== undefined
    },

    async correct(aliveUntil) {
      await polling(() =>
        database.tx((tx) =>
          tx
            .updateTable('worker')
            .set({ alive_until: aliveUntil })
            .where('queue', '=', queue)
            .where('alive_until', '>', aliveUntil + SKEW)
            .execute(),
        ),
      )
    },

    correctDue: (now) => polling(() => correctDue(now)),

    async freeDead(workerId, now, mayFreeExpired) {
      const dead = await polling(ended)
      const removed = await polling(() =>
        database.tx((tx) =>
          tx
            .deleteFrom('worker')
            .where('queue', '=', queue)
            .where('id', '!=', workerId)
            .$if(database.shared, (query) =>
              query.where((where) =>
                where.or([
                  ...(mayFreeExpired ? [where('alive_until', '<=', now)] : []),
                  ...(dead.length === 0 ? [] : [where('id', 'in', dead)]),
                ]),
              ),
            )
            .returning('id')
            .execute(),
        ),
      )
      died += removed.length
      // This also frees claims that a worker made after its row was removed.
      await polling(() => freeLost(now))
      const count = died
      died = 0
      return count
    },

    async remove(tx, workerId) {
      await tx.deleteFrom('worker').where('id', '=', workerId).execute()
    },
  }
}
