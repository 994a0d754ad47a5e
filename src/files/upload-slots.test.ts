import assert from 'node:assert/strict'
import { it } from 'node:test'
import { testClock } from '../../test/support/clock.ts'
import { SECOND } from '../core/clock.ts'
import type { ApiError } from '../core/errors.ts'
import type { Id } from '../core/id.ts'
import { createUploadSlots } from './upload-slots.ts'

it('an upload that finds no slot in time is refused, and told how long to wait', async () => {
  const clock = testClock()
  const slots = createUploadSlots(clock, 2, 9.5 * SECOND)
  const organizationId = 'org_1' as Id<'organization'>
  const slow = Promise.withResolvers<string>()
  const first = slots.use(organizationId, () => slow.promise)
  const isLate = assert.rejects(
    slots.use(organizationId, async () => 'the second'),
    (error: ApiError) => {
      assert.deepEqual([error.code, error.details], ['RATE_LIMITED', { retryAfterSeconds: 10 }])
      return true
    },
  )
  await clock.advance(9.5 * SECOND)
  await isLate
  slow.resolve('the first')
  assert.equal(await first, 'the first')
})
