import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { memoizeByJson, memoizeRecent } from './memoize.ts'

describe('a value memoized by JSON', () => {
  it('is the same for them, and another for another input, also where it is undefined', () => {
    const inputs: object[] = []
    const made = memoizeByJson((input: { a?: number }) => {
      inputs.push(input)
      return input.a === undefined ? undefined : { a: input.a }
    })
    assert.equal(made({ a: 1 }), made({ a: 1 }))
    assert.deepEqual([made({ a: 2 }), made({}), made({})], [{ a: 2 }, undefined, undefined])
    assert.deepEqual(inputs, [{ a: 1 }, { a: 2 }, {}])
  })
})

describe('a value memoized for the inputs that were used last', () => {
  it('is made once while it is among them, and again afterwards', () => {
    const inputs: string[] = []
    const made = memoizeRecent(2, (input) => {
      inputs.push(input)
      return { input }
    })
    assert.equal(made('a'), made('a'))
    made('b')
    made('a')
    assert.deepEqual(made('c'), { input: 'c' })
    made('a')
    made('b')
    assert.deepEqual(inputs, ['a', 'b', 'c', 'b'])
  })
})
