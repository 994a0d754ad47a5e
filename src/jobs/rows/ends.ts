import { type Clock, type Millis, SECOND } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { createWaits } from '../../core/waits.ts'
import type { Database } from '../../db/database.ts'

/** The time after which the end of a job is seen without its notification, in milliseconds. */
const POLL: Millis = SECOND

/** Lets requests wait for the end of a job. */
interface Ends {
  /** Resolves when a job has ended, in whichever process it is done; when `patience` is over; when the process is to end. */
  of(id: Id<'job'>, patience: Millis): Promise<void>
  /** A job has ended. */
  tell(id: Id<'job'>): void
  /** All waits end now. */
  stop(): void
}

export function createEnds({ database, clock }: { database: Database; clock: Clock }): Ends {
  const { until, tell, stop } = createWaits<Id<'job'>>(clock, POLL)

  async function hasEnded(id: Id<'job'>): Promise<boolean> {
    const row = await database.db.selectFrom('job').select('status').where('id', '=', id).executeTakeFirst()
    return row?.status !== 'pending'
  }

  return {
    async of(id, patience) {
      const wait = until(
        id,
        patience,
        () => hasEnded(id),
        (isEnded) => isEnded,
      )
      // The last read failed: the wait is over in any case.
      await wait.catch(() => {})
    },
    tell,
    stop,
  }
}
