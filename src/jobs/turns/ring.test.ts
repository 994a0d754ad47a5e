import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createRing } from './ring.ts'
import { createRings } from './rings.ts'

describe('a ring', () => {
  it('does what a list does in which nobody stands twice', () => {
    const step = fc.record({
      verb: fc.constantFrom('add', 'add', 'add', 'take', 'remove'),
      member: fc.integer({ min: 0, max: 6 }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const ring = createRing<number>()
        let list: number[] = []
        for (const { verb, member } of steps) {
          if (verb === 'take') {
            assert.equal(ring.take(), list.shift())
          } else if (verb === 'remove') {
            ring.remove(member)
            list = list.filter((other) => other !== member)
          } else {
            ring.add(member)
            if (!list.includes(member)) list.push(member)
          }
          assert.equal(ring.size, list.length)
          assert.equal(ring.has(member), list.includes(member))
        }
        for (const member of list) assert.equal(ring.take(), member)
        assert.equal(ring.take(), undefined)
        assert.equal(ring.size, 0)
      }),
    )
  })
})

describe('rings above rings', () => {
  it('give each owner a turn, and within an owner each member', () => {
    const rings = createRings<string, string>()
    assert.equal(rings.take(), undefined)
    for (const member of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2', 'a1']) rings.add(member.charAt(0), member)
    assert.equal(rings.size, 6)
    const taken = Array.from({ length: 4 }, () => rings.take())
    assert.deepEqual(taken, ['a1', 'b1', 'c1', 'a2'])
    assert.equal(rings.size, 2)
    // Who had nothing left stands last in the round when something comes, and before those that have had their turn of it.
    rings.add('b', 'b2')
    assert.deepEqual(
      Array.from({ length: 4 }, () => rings.take()),
      ['c2', 'b2', 'a3', undefined],
    )
    assert.equal(rings.size, 0)
  })

  it('give whoever comes new a turn before anybody has a second, and nobody two by coming anew', () => {
    const rings = createRings<string, string>()
    const takes = (count: number) => Array.from({ length: count }, () => rings.take())
    for (const member of ['a1', 'a2', 'a3', 'b1']) rings.add(member.charAt(0), member)
    assert.deepEqual(takes(1), ['a1'])
    rings.add('c', 'c1')
    assert.deepEqual(takes(2), ['b1', 'c1'])
    for (const member of ['b2', 'c2', 'd1']) rings.add(member.charAt(0), member)
    assert.deepEqual(takes(3), ['d1', 'a2', 'b2'])
    rings.add('b', 'b3')
    assert.deepEqual(takes(4), ['c2', 'a3', 'b3', undefined])
  })
})
