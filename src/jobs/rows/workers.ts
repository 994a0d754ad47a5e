import { sql } from 'kysely'
import { type Millis, SKEW } from '../../core/clock.ts'
import type { Database, Tx } from '../../db/database.ts'
import type { Job } from '../job.ts'
import type { JobStore } from '../job-store.ts'

/**
 * The names under which processes claim the jobs of one queue, each alive until a moment that heartbeats move on. A name is
 * never used twice: it is the generation of its claims.
 */
export interface Workers extends Pick<JobStore<Job>, 'join' | 'keepAlive'> {
  /** A heartbeat of a clock that was ahead came now. */
  correct(tx: Tx, aliveUntil: Millis): Promise<void>
  /** Removes those that are not alive any more; all others where there can be no other. */
  removeDead(tx: Tx, workerId: string, now: Millis): Promise<void>
  remove(tx: Tx, workerId: string): Promise<void>
}

export function createWorkers(database: Database, queue: string): Workers {
  return {
    async join(workerId, aliveUntil) {
      await database.reserved.tx((tx) =>
        tx.insertInto('worker').values({ id: workerId, queue, alive_until: aliveUntil }).execute(),
      )
    },

    async keepAlive(workerId, aliveUntil, now) {
      // Beyond this no heartbeat of a clock that is right can reach.
      const latest = 2 * aliveUntil - now + SKEW
      const kept = await database.reserved.tx((tx) =>
        tx
          .updateTable('worker')
          // A heartbeat that was long under way does not take back a later one.
          .set({
            alive_until: sql`case when alive_until between ${aliveUntil} and ${latest} then alive_until else ${aliveUntil} end`,
          })
          .where('id', '=', workerId)
          .where('alive_until', '>', now)
          .returning('id')
          .executeTakeFirst(),
      )
      return kept !== undefined
    },

    async correct(tx, aliveUntil) {
      await tx
        .updateTable('worker')
        .set({ alive_until: aliveUntil })
        .where('queue', '=', queue)
        .where('alive_until', '>', aliveUntil + SKEW)
        .execute()
    },

    async removeDead(tx, workerId, now) {
      await tx
        .deleteFrom('worker')
        .where('queue', '=', queue)
        .where('id', '!=', workerId)
        .$if(database.shared, (query) => query.where('alive_until', '<=', now))
        .execute()
    },

    async remove(tx, workerId) {
      await tx.deleteFrom('worker').where('id', '=', workerId).execute()
    },
  }
}
