import assert from 'node:assert/strict'
import type { Database } from '#src/db/database.ts'
import type { LeaseDisk } from './workers.ts'

/** A store and the simulator's model of it, on which the same is done. */
interface Compared<Store, J> {
  database: Database
  real: Store
  model: Store
  disk: LeaseDisk
  /** What the engine sees of a job. */
  seen: (job: J) => unknown
  /** Compares the rows of both, and what else their kind stores. */
  compareRows: () => Promise<void>
}

/** Checks that a store behaves as its model. */
export interface Comparison<Store> {
  /** Sees that both have the same. */
  compare(): Promise<void>
  /** Does the same with both, and sees that both answer the same and have the same afterwards. */
  both<T>(work: (store: Store) => Promise<T>): Promise<T>
}

export function createComparison<Store, J>(compared: Compared<Store, J>): Comparison<Store> {
  const { database, real, model, disk, seen, compareRows } = compared

  async function compare(): Promise<void> {
    const { db } = database
    await compareRows()
    const workers = await db.selectFrom('worker').selectAll().orderBy('id').execute()
    assert.deepEqual(
      workers.map(({ id, alive_until, retired, seen, divides, draining }) => [
        ...[id, alive_until, retired === 1, seen, divides],
        draining === null ? [] : JSON.parse(draining),
      ]),
      [...disk.workers]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([id, { aliveUntil, isRetired, seen, view, draining }]) => [
          ...[id, aliveUntil, isRetired, seen, view],
          draining,
        ]),
    )
  }

  return {
    compare,
    async both(work) {
      const [answer, expected] = [await work(real), await work(model)]
      assert.deepEqual(visible(answer, seen), visible(expected, seen))
      await compare()
      return answer
    },
  }
}

/** As in the simulator, everything that a worker writes is on the disk when it hears of it. */
export function allOnDisk(database: Database): Database {
  return { ...database, relaxed: () => assert.fail('something was written without waiting for the disk') }
}

/**
 * Of an answer of a store what the engine sees: of a job what `seen` shows of it, in its order; of a list that has no order its
 * members in one.
 */
function visible<J>(answer: unknown, seen: (job: J) => unknown): unknown {
  const isJob = (one: unknown): one is J => typeof one === 'object' && one !== null && 'horizon' in one
  const look = (one: unknown): unknown => {
    if (Array.isArray(one) && one.every(isJob)) return one.map(seen)
    if (Array.isArray(one))
      return one.map(look).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
    if (typeof one !== 'object' || one === null) return one
    if (one instanceof Uint8Array) return Buffer.from(one).toString()
    return Object.fromEntries(Object.entries(one).map(([name, value]) => [name, look(value)]))
  }
  return look(answer)
}
