import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createNotes } from './remember.ts'

describe('what is noted of an object', () => {
  it('is its own, and what was noted last', () => {
    const notes = createNotes<object, number>()
    const [one, other] = [{}, {}]
    notes.set(one, 1)
    notes.set(one, 2)
    assert.deepEqual([notes.of(one), notes.of(other), createNotes().of(one)], [2, undefined, undefined])
  })
})
