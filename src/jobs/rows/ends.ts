import { type Clock, type Millis, repeat, SECOND } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Database } from '../../db/database.ts'

/** How soon an end is found of which nobody has told. */
const POLL: Millis = SECOND

/** Where requests wait for the end of a job. */
export interface Ends {
  /** Resolves when a job has ended, wherever it is done; when `patience` is over; when the process is to end. */
  of(id: Id<'job'>, patience: Millis): Promise<void>
  /** A job has ended. */
  tell(id: Id<'job'>): void
  /** Nobody waits any longer. */
  stop(): void
}

export function createEnds({ database, clock }: { database: Database; clock: Clock }): Ends {
  const waiting = new Map<Id<'job'>, Set<() => void>>()
  let isOver = false

  async function hasEnded(id: Id<'job'>): Promise<boolean> {
    const row = await database.db.selectFrom('job').select('status').where('id', '=', id).executeTakeFirst()
    return row?.status !== 'pending'
  }

  function tell(id: Id<'job'>): void {
    for (const wake of waiting.get(id) ?? []) wake()
  }

  return {
    async of(id, patience) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const all = waiting.get(id) ?? new Set()
      waiting.set(id, all.add(resolve))
      const check = () => {
        // A store that cannot say is asked once more in a while.
        hasEnded(id).then(
          (isEnded) => isEnded && resolve(),
          () => {},
        )
      }
      const cancels = [clock.after(patience, resolve), repeat(clock, POLL, check)]
      // It may have ended before anybody listened.
      check()
      if (isOver) resolve()
      await promise
      for (const cancel of cancels) cancel()
      all.delete(resolve)
      if (all.size === 0) waiting.delete(id)
    },
    tell,
    stop() {
      isOver = true
      for (const id of waiting.keys()) tell(id)
    },
  }
}
