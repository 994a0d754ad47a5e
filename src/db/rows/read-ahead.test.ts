import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readAhead } from './read-ahead.ts'

describe('pieces that are read ahead', () => {
  for (const [where, taken] of [
    ['among the first', 1],
    ['behind them', 8],
  ] as const)
    it(`end at their source when a reader ends ${where}`, async () => {
      let isClosed = false
      async function* source(): AsyncGenerator<Buffer> {
        try {
          for (let made = 0; made < 20; made += 1) yield Buffer.alloc(100)
        } finally {
          isClosed = true
        }
      }
      const { isLonger, pieces } = await readAhead(source(), 500)
      assert.equal(isLonger, true)
      let read = 0
      for await (const _ of pieces) {
        read += 1
        if (read === taken) break
      }
      assert.equal(isClosed, true)
    })
})
