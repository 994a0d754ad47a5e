import type { Clock, Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Database } from '../../db/database.ts'
import type { RunSignals } from '../steps/run-signals.ts'
import { hasEnded, type Run } from '../transcript/rows.ts'

/** Waits for what becomes of runs, wherever they are stepped. */
export interface RunWaits {
  /** The run when it has ended, or waits for a person; as it is when `patience` is over, or the process is to end. */
  settled(id: Id<'run'>, patience: Millis): Promise<Run>
  /** Everybody who waits is answered now. */
  stop(): void
}

/** How soon what nobody told of is seen. */
const POLL: Millis = 2_000

export function createRunWaits(parts: {
  clock: Clock
  database: Pick<Database, 'db'>
  signals: Pick<RunSignals, 'watch'>
}): RunWaits {
  const { clock, database, signals } = parts
  const waiting = new Map<Id<'run'>, Set<() => void>>()
  let isOver = false
  signals.watch({
    changed(id) {
      const some =
        id === undefined ? [...waiting.values()].flatMap((one) => [...one]) : (waiting.get(id) ?? [])
      for (const wake of [...some]) wake()
    },
  })

  const read = (id: Id<'run'>) =>
    database.db.selectFrom('run').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

  /** Resolves when something is told of the run, or when `patience` is over. */
  function change(id: Id<'run'>, patience: Millis): { changed: Promise<void>; forget: () => void } {
    const { promise: changed, resolve } = Promise.withResolvers<void>()
    const cancel = clock.after(patience, resolve)
    const wakes = waiting.get(id) ?? new Set()
    waiting.set(id, wakes.add(resolve))
    return {
      changed,
      forget() {
        cancel()
        wakes.delete(resolve)
        if (wakes.size === 0 && waiting.get(id) === wakes) waiting.delete(id)
      },
    }
  }

  return {
    async settled(id, patience) {
      const until = clock.now() + patience
      for (;;) {
        const left = until - clock.now()
        // Listens before it reads: what changes in between is not missed.
        const { changed, forget } = change(id, Math.min(POLL, Math.max(0, left)))
        try {
          const run = await read(id)
          if (hasEnded(run) || run.status === 'waiting' || left <= 0 || isOver) return run
          await changed
        } finally {
          forget()
        }
      }
    },
    stop() {
      isOver = true
      for (const wakes of waiting.values()) for (const wake of [...wakes]) wake()
    },
  }
}
