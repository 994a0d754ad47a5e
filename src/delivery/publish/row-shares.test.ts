import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { shareRows } from './row-shares.ts'

describe('the rows of a commit', () => {
  it('are given completely to owners that need few, and divided among the others', () => {
    const wishes = new Map([
      ['greedy', 100_000],
      ['small', 3],
      ['large', 500],
    ])
    const shares = shareRows(wishes, 103)
    assert.deepEqual(Object.fromEntries(shares), { small: 3, large: 50, greedy: 50 })
  })

  it('never exceed the total, and no owner gets less than an even share or its need', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(2_000), { minLength: 1, maxLength: 200 }),
        fc.integer({ min: -5, max: 1_000 }),
        (wishes, rows) => {
          const shares = [...shareRows(new Map(wishes.entries()), rows).entries()]
          assert.equal(shares.length, wishes.length)
          assert.ok(shares.reduce((sum, [, share]) => sum + share, 0) <= Math.max(0, rows))
          const even = Math.floor(Math.max(0, rows) / wishes.length)
          for (const [index, share] of shares) {
            const wish = wishes[index] ?? 0
            assert.ok(share <= wish && share >= Math.min(wish, even))
          }
        },
      ),
    )
  })
})
