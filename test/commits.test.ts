import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readConfig } from '#src/config/config.ts'
import { stopwatch, systemClock, turn } from '#src/core/clock.ts'
import { openDatabase } from '#src/db/database.ts'
import { readyStore } from './support/postern.ts'

const WORKS = 200
const EACH = 5

describe('a commit that many share on the embedded database', () => {
  it('leaves what takes long to the next one, and everybody else a turn in between', async () => {
    const env = await readyStore('sqlite')
    const database = await openDatabase({
      ...readConfig(env).store,
      clock: systemClock,
      report() {},
      onConnectionError() {},
    })
    const order: number[] = []
    const works = Array.from({ length: WORKS }, (_, index) =>
      database.tx(async () => {
        order.push(index)
        const busy = stopwatch()
        while (busy() < EACH);
      }),
    )
    let [isOver, most] = [false, 0]
    const all = Promise.all(works).then(() => {
      isOver = true
    })
    while (!isOver) {
      const before = order.length
      await turn()
      most = Math.max(most, order.length - before)
    }
    await all
    await database.close()
    assert.deepEqual(
      order,
      Array.from({ length: WORKS }, (_, index) => index),
    )
    // Told by the works between two turns: on a busy machine a turn may take any time.
    assert.ok(most < WORKS / 10, `${most} at once`)
  })
})
