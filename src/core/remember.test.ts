import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createNotes, oncePerText } from './remember.ts'

describe('what is noted of an object', () => {
  it('is its own, and what was noted last', () => {
    const notes = createNotes<object, number>()
    const [one, other] = [{}, {}]
    notes.set(one, 1)
    notes.set(one, 2)
    assert.deepEqual([notes.of(one), notes.of(other), createNotes().of(one)], [2, undefined, undefined])
  })
})

describe('a value that is made once for equal inputs', () => {
  it('is the same for them, and another for another input, also where it is undefined', () => {
    const inputs: object[] = []
    const made = oncePerText((input: { a?: number }) => {
      inputs.push(input)
      return input.a === undefined ? undefined : { a: input.a }
    })
    assert.equal(made({ a: 1 }), made({ a: 1 }))
    assert.deepEqual([made({ a: 2 }), made({}), made({})], [{ a: 2 }, undefined, undefined])
    assert.deepEqual(inputs, [{ a: 1 }, { a: 2 }, {}])
  })
})
