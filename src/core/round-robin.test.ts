import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createRoundRobin, UniqueQueue } from './round-robin.ts'

describe('a queue of unique members', () => {
  it('behaves like a list in which each member occurs once', () => {
    const step = fc.record({
      isTaken: fc.boolean(),
      member: fc.integer({ min: 0, max: 6 }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const queue = new UniqueQueue<number>()
        const list: number[] = []
        for (const { isTaken, member } of steps) {
          if (isTaken) {
            assert.equal(queue.take(), list.shift())
          } else {
            queue.add(member)
            if (!list.includes(member)) list.push(member)
          }
          assert.equal(queue.size, list.length)
        }
        for (const member of list) assert.equal(queue.take(), member)
        assert.equal(queue.take(), undefined)
        assert.equal(queue.size, 0)
      }),
    )
  })
})

describe('the round robin', () => {
  it('gives each owner a turn, and within an owner each member', () => {
    const turns = createRoundRobin<string, string>()
    assert.equal(turns.take(), undefined)
    for (const member of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2', 'a1']) turns.add(member.charAt(0), member)
    assert.equal(turns.size, 6)
    const taken = Array.from({ length: 4 }, () => turns.take())
    assert.deepEqual(taken, ['a1', 'b1', 'c1', 'a2'])
    assert.equal(turns.size, 2)
    // An owner that gets its first member comes last in this round, before owners that were served in it.
    turns.add('b', 'b2')
    assert.deepEqual(
      Array.from({ length: 4 }, () => turns.take()),
      ['c2', 'b2', 'a3', undefined],
    )
    assert.equal(turns.size, 0)
  })

  it('gives a new owner a turn before another has a second, and no owner two by coming back', () => {
    const turns = createRoundRobin<string, string>()
    const takes = (count: number) => Array.from({ length: count }, () => turns.take())
    for (const member of ['a1', 'a2', 'a3', 'b1']) turns.add(member.charAt(0), member)
    assert.deepEqual(takes(1), ['a1'])
    turns.add('c', 'c1')
    assert.deepEqual(takes(2), ['b1', 'c1'])
    for (const member of ['b2', 'c2', 'd1']) turns.add(member.charAt(0), member)
    assert.deepEqual(takes(3), ['d1', 'a2', 'b2'])
    turns.add('b', 'b3')
    assert.deepEqual(takes(4), ['c2', 'a3', 'b3', undefined])
  })

  it('serves each owner once in a round, however many owners there are and however often they come back', () => {
    const turns = createRoundRobin<number, string>()
    const owners = Array.from({ length: 300 }, (_, owner) => owner)
    for (const owner of owners) turns.add(owner, `${owner} first`)
    const taken = owners.map(() => {
      const member = turns.take() ?? ''
      turns.add(Number.parseInt(member, 10), `${Number.parseInt(member, 10)} second`)
      return member
    })
    assert.deepEqual(
      taken,
      owners.map((owner) => `${owner} first`),
    )
    assert.deepEqual(
      owners.map(() => turns.take()),
      owners.map((owner) => `${owner} second`),
    )
    assert.deepEqual([turns.take(), turns.size], [undefined, 0])
  })
})
