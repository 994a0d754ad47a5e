import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FIRST_LEVEL, isAsAtFirst, levelAfter } from './level.ts'

describe('the level of a webhook', () => {
  it('is one more after each success, up to what the webhook takes', () => {
    assert.equal(levelAfter(4, true, 16), 5)
    assert.equal(levelAfter(15, true, 16), 16)
    assert.equal(levelAfter(16, true, 16), 16)
    assert.equal(levelAfter(16, true, 3), 3)
  })

  it('is half after a failure, and never less than one', () => {
    assert.deepEqual(
      [256, 9, 3, 2, 1].map((level) => levelAfter(level, false, 256)),
      [128, 4, 1, 1, 1],
    )
  })

  it('is as at first when it is no less than that, or than what the webhook takes', () => {
    assert.equal(isAsAtFirst(FIRST_LEVEL, 16), true)
    assert.equal(isAsAtFirst(FIRST_LEVEL + 1, 16), true)
    assert.equal(isAsAtFirst(FIRST_LEVEL - 1, 16), false)
    assert.equal(isAsAtFirst(2, 2), true)
    assert.equal(isAsAtFirst(1, 2), false)
  })
})
