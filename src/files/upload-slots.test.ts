import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testClock } from '../../test/support/clock.ts'
import { SECOND, turn } from '../core/clock.ts'
import type { ApiError } from '../core/errors.ts'
import type { Id } from '../core/id.ts'
import { createUploadSlots } from './upload-slots.ts'

const [one, other] = ['org_1', 'org_2'] as Id<'organization'>[] as [Id<'organization'>, Id<'organization'>]

describe('what comes in', () => {
  it('waits for a place as long as is patient, and is then asked to come once more', async () => {
    const clock = testClock()
    const slots = createUploadSlots({ clock, most: 2, patience: 9.5 * SECOND })
    const slow = Promise.withResolvers<string>()
    const first = slots.enter(one, () => slow.promise)
    const second = slots.enter(one, async () => 'the second')
    const isLate = assert.rejects(second, (error: ApiError) => {
      assert.deepEqual([error.code, error.details], ['RATE_LIMITED', { retryAfterSeconds: 10 }])
      return true
    })
    assert.equal(await slots.enter(other, async () => 'a neighbour’s'), 'a neighbour’s')
    await clock.advance(9.5 * SECOND)
    await isLate
    const third = slots.enter(one, async () => 'the third')
    await turn()
    slow.resolve('the first')
    assert.deepEqual(await Promise.all([first, third]), ['the first', 'the third'])
  })

  it('is not disturbed once it has its place, and leaves that when it fails', async () => {
    const clock = testClock()
    const slots = createUploadSlots({ clock, most: 1, patience: SECOND })
    const slow = Promise.withResolvers<string>()
    const first = slots.enter(one, () => slow.promise)
    await clock.advance(2 * SECOND)
    slow.reject(new Error('cut short'))
    await assert.rejects(first, /cut short/)
    assert.equal(await slots.enter(one, async () => 'the next'), 'the next')
  })
})
