import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ApiError } from '../core/errors.ts'
import { BusyError } from '../db/engine/engine.ts'
import { flowErrorOf, withFlowError } from './flow-error.ts'

describe('the error of a flow', () => {
  const descriptions = { UNAUTHORIZED: 'Not verified.', RATE_LIMITED: 'Try again.' }
  const errorOf = flowErrorOf(descriptions)

  it('is told to the browser where it has a description, also where the database was busy after a first commit', () => {
    const refused = new ApiError('UNAUTHORIZED', {})
    assert.equal(errorOf(refused), refused)
    const busy = errorOf(new BusyError('all in use', { isUsedUp: true, isUntouched: false }))
    assert.equal(
      withFlowError('https://app.acme.test/back', busy, descriptions),
      'https://app.acme.test/back?error=RATE_LIMITED&error_description=Try+again.',
    )
  })

  it('is thrown again otherwise', () => {
    for (const other of [new ApiError('DUPLICATE', {}), new Error('a defect')])
      assert.throws(() => errorOf(other), other)
  })
})
