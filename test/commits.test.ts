import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readConfig } from '#src/config/config.ts'
import { stopwatch, systemClock, turn } from '#src/core/clock.ts'
import { openDatabase } from '#src/db/database.ts'
import { freshStore } from './support/postern.ts'

const WORKS = 200
const EACH = 5

describe('a commit that many share on the embedded database', () => {
  it('leaves what takes long to the next one, and everybody else a turn in between', async () => {
    const env = await freshStore('sqlite')
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
    let [isOver, stall] = [false, 0]
    const all = Promise.all(works).then(() => {
      isOver = true
    })
    while (!isOver) {
      const waited = stopwatch()
      await turn()
      stall = Math.max(stall, waited())
    }
    await all
    await database.close()
    assert.deepEqual(
      order,
      Array.from({ length: WORKS }, (_, index) => index),
    )
    // All in one commit would be a second; a busy machine makes a tenth of it no surprise.
    assert.ok(stall < (WORKS * EACH) / 2, `${stall} ms`)
  })
})
