import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nextRows, restAfter } from './retention.ts'

describe('the size of a step of retention', () => {
  for (const cost of [0.004, 0.01, 0.05, 0.2, 0.7])
    it(`comes to take about 8 ms, where a row takes ${cost} ms`, () => {
      let rows = 50
      for (let steps = 0; steps < 10; steps += 1) rows = nextRows(rows, Math.max(rows * cost, 0.001))
      const took = rows * cost
      const isAtAnEnd = rows === 10 || rows === 1_000
      assert.ok(isAtAnEnd || Math.abs(took - 8) <= 1, `${rows} rows, ${took} ms`)
      assert.ok(took <= 9, `${rows} rows, ${took} ms`)
    })

  it('is at least ten rows, and at most a thousand, however slow or quick they are', () => {
    assert.equal(nextRows(10, 10_000), 10)
    assert.equal(nextRows(1_000, 0.1), 1_000)
  })

  it('is at least a hundred rows where other writers wait for none of it, so that a slow way to PostgreSQL holds nothing up', () => {
    assert.equal(nextRows(50, 10_000, 100), 100)
  })

  it('shrinks to a quarter and grows to twice as much at once, whatever one step took', () => {
    assert.equal(nextRows(400, 10_000), 100)
    assert.equal(nextRows(100, 0.01), 200)
  })
})

it('the rest between two steps of retention is three times as long as the step, and never so long that an end would wait for it', () => {
  assert.equal(restAfter(8), 24)
  assert.equal(restAfter(10_000), 2_000)
})
