import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MINUTE } from '#src/core/clock.ts'
import { noteWritten, runForOwner } from '#src/core/context.ts'
import { memoryCounter } from '#src/http/rate-limit.ts'
import { databaseCounter } from '#src/http/shared-counter.ts'
import { useDatabase } from '../support/database.ts'
import { statementsOf } from '../support/statements.ts'
import { ENGINES } from '../support/store.ts'
import { until, within } from '../support/waits.ts'

const NOW = 1_795_000_000_000
const CROWD = 64

const numbersTo = (most: number) => Array.from({ length: most }, (_, index) => index + 1)
const sorted = (numbers: number[]) => numbers.toSorted((one, other) => one - other)

// SQLite has one process, which counts in memory.
if (ENGINES.includes('postgres'))
  describe('a counter in PostgreSQL', () => {
    const open = useDatabase('postgres')

    it('counts by one statement, which additions of the same time share, and each has its own number', async () => {
      const counter = databaseCounter(await open())
      assert.equal((await counter.add('few', MINUTE, NOW)).count, 1)
      assert.equal(await statementsOf(() => counter.add('few', MINUTE, NOW)), 1)
      let counts: number[] = []
      const addAll = async () => {
        const windows = await Promise.all(numbersTo(CROWD).map(() => counter.add('many', MINUTE, NOW)))
        counts = windows.map(({ count }) => count)
      }
      assert.equal(await statementsOf(addAll), 1)
      assert.deepEqual(counts, numbersTo(CROWD))
    })

    it('gives no number twice, over all processes and owners', async () => {
      const database = await open()
      const counters = [databaseCounter(database), databaseCounter(database)]
      const windows = await Promise.all(
        numbersTo(CROWD).flatMap((number) =>
          counters.map((counter) =>
            runForOwner(`owner ${number % 3}`, () => counter.add('shared', MINUTE, NOW)),
          ),
        ),
      )
      assert.deepEqual(sorted(windows.map(({ count }) => count)), numbersTo(2 * CROWD))
    })

    it('gives the numbers that a counter in memory gives, where additions of several, reads and ended windows share a statement', async () => {
      const [shared, own] = [databaseCounter(await open()), memoryCounter()]
      const rounds = [
        [1, 0, 3, 1],
        [0, 2, 0],
        [5, 1, 0, 1],
      ]
      for (const [round, amounts] of rounds.entries()) {
        const now = NOW + round * (MINUTE - 1)
        const add = (counter: typeof own) =>
          Promise.all(amounts.map((by) => counter.add('mixed', MINUTE, now, by)))
        assert.deepEqual(await add(shared), await add(own))
      }
      // A request that began before the end of the window, and whose statement comes after it.
      const late = await Promise.all([
        shared.add('mixed', MINUTE, NOW + 3 * MINUTE - 1),
        shared.add('mixed', MINUTE, NOW + 3 * MINUTE),
      ])
      assert.deepEqual(late, [
        { count: 1, resetAt: NOW + 4 * MINUTE },
        { count: 2, resetAt: NOW + 4 * MINUTE },
      ])
      // A clock that was ahead has been set back.
      assert.deepEqual(await shared.add('mixed', MINUTE, NOW), { count: 1, resetAt: NOW + MINUTE })
    })

    it('delays no other key while the row of one is locked, and waits by one connection for it', async () => {
      const database = await open()
      const counter = databaseCounter(database)
      await counter.add('held', MINUTE, NOW)
      const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
      const { promise: isLocked, resolve: locked } = Promise.withResolvers<void>()
      const holder = database.background.tx(async (tx) => {
        await tx.selectFrom('rate_window').select('count').where('key', '=', 'held').forUpdate().execute()
        locked()
        await isReleased
      })
      try {
        await within('a locked row', isLocked)
        const waiting = numbersTo(CROWD).map(() =>
          runForOwner('noisy', () => counter.add('held', MINUTE, NOW)),
        )
        const other = await within(
          'the number of another key',
          runForOwner('other', () => counter.add('free', MINUTE, NOW)),
        )
        assert.equal(other.count, 1)
        assert.equal(database.waiting(), 0)
        release()
        const windows = await within('the numbers of the released key', Promise.all(waiting))
        assert.deepEqual(
          windows.map(({ count }) => count),
          numbersTo(CROWD).map((number) => number + 1),
        )
      } finally {
        release()
        await holder
      }
    })

    it('counts alone for work that has committed a part, which may borrow a connection', async () => {
      const counter = databaseCounter(await open())
      const add = () => counter.add('alone', MINUTE, NOW)
      await runForOwner('one', add)
      const three = () =>
        runForOwner('one', async () => {
          noteWritten()
          return sorted((await Promise.all([add(), add(), add()])).map(({ count }) => count))
        })
      let counts: number[] = []
      const work = async () => {
        counts = await three()
      }
      await until(
        () => statementsOf(work),
        (count) => count === 3,
        { what: 'a statement for each, on open connections' },
      )
      assert.equal(counts.length, 3)
    })
  })
