import { interruptible } from '../../core/context.ts'
import type { Database } from '../../db/database.ts'
import type { Job } from '../job.ts'
import type { JobStore } from '../job-store.ts'
import { createClockCorrection } from './clock-correction.ts'
import { freeLost } from './lost-claims.ts'
import { changing, type QueueRows, reading } from './queue-rows.ts'

/** What every table of jobs does alike. */
interface QueueStore<J extends Job>
  extends Pick<JobStore<J>, 'correctDue' | 'freeLost' | 'giveUp' | 'claimedBy' | 'release' | 'interrupt'> {
  /** Does the work of a poll, which `interrupt` aborts. */
  polling<T>(work: () => Promise<T>): Promise<T>
}

export function createQueueStore<J extends Job>(database: Database, rows: QueueRows): QueueStore<J> {
  const interruption = new AbortController()
  const polling = <T>(work: () => Promise<T>) => interruptible(interruption.signal, work)
  const correctDue = createClockCorrection(database, rows)
  return {
    polling,
    interrupt: () => interruption.abort(),
    correctDue: (now) => polling(() => correctDue(now)),
    freeLost: (now) => polling(() => freeLost(database, rows, now)),

    async giveUp(workerId) {
      await database.tx((tx) =>
        changing(tx, rows).set({ claim_id: null }).where('claim_id', '=', workerId).execute(),
      )
    },

    async claimedBy(workerId) {
      const claimed = reading(database.db, rows).select('id').where('claim_id', '=', workerId)
      return (await polling(() => claimed.execute())).map(({ id }) => id)
    },

    async release(workerId, jobs) {
      if (jobs.length === 0) return
      const ids = jobs.map(({ id }) => id) as never[]
      await database.tx((tx) =>
        changing(tx, rows)
          .set({ claim_id: null })
          .where('id', 'in', ids)
          .where('claim_id', '=', workerId)
          .execute(),
      )
    },
  }
}
