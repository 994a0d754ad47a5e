import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createShares, FAIR } from './shares.ts'

/** Takes as much as it may, one by one. */
function takeAll(shares: ReturnType<typeof createShares<string>>, name: string): number {
  let taken = 0
  for (; shares.room(name) > 0; taken += 1) shares.take(name)
  return taken
}

describe('shares', () => {
  it('give half to who is alone, and a half of what is left to each that comes after', () => {
    const shares = createShares<string>(1_000)
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((name) => takeAll(shares, name)),
      [500, 250, 125, 63],
    )
    assert.equal(shares.free, 62)
    assert.equal(shares.heldBy('a'), 500)
    assert.equal(shares.heldBy('e'), 0)
  })

  it('come to the same for all when those that hold more give back and take again', () => {
    const shares = createShares<string>(1_000)
    const names = ['a', 'b', 'c']
    for (const name of names) takeAll(shares, name)
    for (let round = 0; round < 2_000; round += 1) {
      const name = names[round % names.length] as string
      shares.give(name)
      takeAll(shares, name)
    }
    for (const name of names) assert.ok(Math.abs(shares.heldBy(name) - 250) <= 1, `${shares.heldBy(name)}`)
  })

  it('tell what a name may hold: what it does and what it may still take', () => {
    const shares = createShares<string>(100)
    assert.equal(shares.shareOf('a'), 50)
    shares.take('a', 20)
    assert.equal(shares.shareOf('a'), 50)
    assert.equal(shares.room('a'), 30)
    shares.take('b', 40)
    assert.equal(shares.room('a'), 10)
    assert.equal(shares.shareOf('a'), 30)
    shares.give('b', 40)
    shares.give('a', 20)
    assert.equal(shares.free, 100)
    assert.equal(shares.room('a'), 50)
  })

  it('never let a name take when it holds as much as is free, nor refuse it when it holds less', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 0, max: 5_000 }), (free, held) => {
        const room = FAIR(free, held)
        assert.equal(room > 0, held < free)
        assert.ok(Number.isInteger(room) && room >= 0)
        // When it has taken all of that it holds as much as is then free, or one more.
        if (room > 0) assert.ok([0, 1].includes(held + room - (free - room)))
      }),
    )
  })

  it('are used up when not even who holds none may take any', () => {
    const shares = createShares<string>(3)
    assert.equal(takeAll(shares, 'a'), 2)
    assert.deepEqual([shares.free, shares.room('a'), shares.isUsedUp], [1, 0, false])
    assert.equal(takeAll(shares, 'b'), 1)
    assert.equal(shares.isUsedUp, true)
    shares.give('a')
    assert.equal(shares.isUsedUp, false)
  })

  it('hold by another rule where they are given one', () => {
    const shares = createShares<string>(10, (free) => free)
    assert.equal(takeAll(shares, 'a'), 10)
    assert.equal(shares.room('b'), 0)
  })
})
