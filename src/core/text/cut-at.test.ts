import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cutAt } from './cut-at.ts'

describe('a cut of a text', () => {
  it('moves before a surrogate pair that it would split, and nowhere else', () => {
    const cuts = (text: string) => Array.from({ length: text.length + 2 }, (_, place) => cutAt(text, place))
    assert.deepEqual(cuts('a😀b'), [0, 1, 1, 3, 4, 5])
    assert.deepEqual(cuts('😀😀'), [0, 0, 2, 2, 4, 5])
    assert.deepEqual(cuts('\udc00\ud800a\ud800\ud800'), [0, 1, 2, 3, 4, 5, 6])
  })
})
