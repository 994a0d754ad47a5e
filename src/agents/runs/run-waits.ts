import type { Clock, Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { createWaits } from '../../core/waits.ts'
import type { Database } from '../../db/database.ts'
import type { RunSignals } from '../steps/run-signals.ts'
import { hasEnded, type Run } from '../transcript/rows.ts'

/** Lets requests wait for the end of runs, whichever process steps them. */
export interface RunWaits {
  /**
   * Waits until a run has ended, or waits for a person.
   * @returns the run at that moment, after `patience`, or when the process stops; undefined where it was deleted
   */
  settled(id: Id<'run'>, patience: Millis): Promise<Run | undefined>
  /** Ends all waits now. */
  stop(): void
}

/** Longest delay of a change whose notification was lost. */
const POLL: Millis = 2_000

export function createRunWaits(parts: {
  clock: Clock
  database: Pick<Database, 'db'>
  signals: Pick<RunSignals, 'watch'>
}): RunWaits {
  const { clock, database, signals } = parts
  const { until, wake, stop } = createWaits<Id<'run'>>(clock, POLL)
  signals.watch({ changed: wake })
  const read = (id: Id<'run'>) =>
    database.db.selectFrom('run').selectAll().where('id', '=', id).executeTakeFirst()
  const isSettled = (run: Run | undefined) => run === undefined || hasEnded(run) || run.status === 'waiting'
  return {
    settled: (id, patience) => until(id, patience, () => read(id), isSettled),
    stop,
  }
}
