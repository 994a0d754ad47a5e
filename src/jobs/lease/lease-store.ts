import { sql } from 'kysely'
import { SKEW } from '../../core/clock.ts'
import { interruptible } from '../../core/context.ts'
import type { Database } from '../../db/database.ts'
import type { LeaseStore } from './lease.ts'
import { hasProcessEnded, THIS_PROCESS } from './process-identity.ts'

/**
 * The rows of the processes that do jobs (table `worker`). A name is never used twice, so it identifies the generation of its
 * claims.
 */
export function createLeaseStore(database: Database): LeaseStore {
  const { db, reserved, shared } = database
  const interruption = new AbortController()
  const looking = <T>(work: () => Promise<T>) => interruptible(interruption.signal, work)

  /** Processes that have ended on this machine: they have nothing under way, even if their lease still holds. */
  async function ended(): Promise<string[]> {
    if (!shared) return []
    const workers = await db.selectFrom('worker').select(['id', 'process']).execute()
    return workers.flatMap(({ id, process }) => (process !== null && hasProcessEnded(process) ? [id] : []))
  }

  return {
    async join(name, aliveUntil) {
      await reserved.tx((tx) =>
        tx
          .insertInto('worker')
          .values({ id: name, alive_until: aliveUntil, process: THIS_PROCESS })
          .execute(),
      )
    },

    async keepAlive(name, aliveUntil, now) {
      // A correct clock cannot have written a later moment.
      const latest = 2 * aliveUntil - now + SKEW
      const kept = await reserved.tx((tx) =>
        tx
          .updateTable('worker')
          // A delayed heartbeat does not overwrite a later one.
          .set({
            alive_until: sql`case when alive_until between ${aliveUntil} and ${latest} then alive_until else ${aliveUntil} end`,
          })
          .where('id', '=', name)
          .returning('id')
          .executeTakeFirst(),
      )
      return kept !== undefined
    },

    async correct(latest) {
      await looking(() =>
        database.tx((tx) => {
          const aliveUntil = latest()
          return tx
            .updateTable('worker')
            .set({ alive_until: aliveUntil })
            .where('alive_until', '>', aliveUntil + SKEW)
            .execute()
        }),
      )
    },

    async removeDead(name, now, mayRemoveExpired) {
      const dead = await looking(ended)
      const removed = await looking(() =>
        database.tx((tx) =>
          tx
            .deleteFrom('worker')
            .where('id', '!=', name)
            .$if(shared, (query) =>
              query.where((where) =>
                where.or([
                  ...(mayRemoveExpired ? [where('alive_until', '<=', now)] : []),
                  ...(dead.length === 0 ? [] : [where('id', 'in', dead)]),
                ]),
              ),
            )
            .returning('id')
            .execute(),
        ),
      )
      return removed.length
    },

    async leave(name) {
      await database.tx((tx) => tx.deleteFrom('worker').where('id', '=', name).execute())
    },

    interrupt: () => interruption.abort(),
  }
}
