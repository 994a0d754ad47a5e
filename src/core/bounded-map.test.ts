import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createBoundedMap } from './bounded-map.ts'

const MOST = 3

describe('a map of bounded size', () => {
  it('removes the least recently used key, after any sequence of sets, reads, deletes and clears', () => {
    const key = fc.integer({ min: 0, max: 6 })
    const step = fc.record({ verb: fc.constantFrom('set', 'set', 'set', 'get', 'delete', 'clear'), key })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const map = createBoundedMap<number, string>(MOST)
        /** The last used key is the last in the list. */
        let list: number[] = []
        const without = (key: number) => list.filter((one) => one !== key)
        for (const { verb, key } of steps) {
          if (verb === 'set') {
            map.set(key, String(key))
            list = [...without(key), key].slice(-MOST)
          } else if (verb === 'get') {
            assert.equal(map.get(key), list.includes(key) ? String(key) : undefined)
            if (list.includes(key)) list = [...without(key), key]
          } else if (verb === 'delete') {
            assert.equal(map.delete(key), list.includes(key))
            list = without(key)
          } else {
            map.clear()
            list = []
          }
          assert.deepEqual(
            map.entries().map(([one]) => one),
            list,
          )
          assert.equal(map.size, list.length)
        }
      }),
    )
  })
})
