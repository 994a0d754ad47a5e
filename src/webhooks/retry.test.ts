import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { DAY, HOUR, MINUTE, SECOND } from '../core/clock.ts'
import { nextAttemptAt } from './retry.ts'

describe('the retry schedule (spec 8)', () => {
  it('waits 1 s, 5 s, 30 s, 5 min and 30 min, and then every 30 min', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 50].map((attempts) =>
      nextAttemptAt({ attempts, now: 0, horizon: DAY }),
    )
    assert.deepEqual(waits, [
      SECOND,
      5 * SECOND,
      30 * SECOND,
      5 * MINUTE,
      30 * MINUTE,
      30 * MINUTE,
      30 * MINUTE,
      30 * MINUTE,
    ])
  })

  it('makes 52 attempts in 24 hours when each one fails at once, the last before the horizon', () => {
    let now: number | undefined = 0
    let attempts = 0
    let last = 0
    while (now !== undefined) {
      attempts += 1
      last = now
      now = nextAttemptAt({ attempts, now, horizon: DAY })
    }
    assert.equal(attempts, 52)
    assert.ok(last <= DAY && last > DAY - HOUR)
  })

  it('lets a destination only lengthen a wait', () => {
    assert.equal(nextAttemptAt({ attempts: 3, now: 0, horizon: DAY, notBefore: 10 * SECOND }), 30 * SECOND)
    assert.equal(nextAttemptAt({ attempts: 3, now: 0, horizon: DAY, notBefore: HOUR }), HOUR)
    assert.equal(nextAttemptAt({ attempts: 3, now: 0, horizon: DAY, notBefore: DAY + 1 }), undefined)
  })

  it('never starts an attempt after the horizon nor before its wait', () => {
    const moment = fc.integer({ min: 0, max: 2 * DAY })
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        moment,
        moment,
        fc.option(moment, { nil: undefined }),
        (attempts, now, horizon, notBefore) => {
          const at = nextAttemptAt({ attempts, now, horizon, notBefore })
          assert.ok(at === undefined || (at <= horizon && at >= now + SECOND && at >= (notBefore ?? 0)))
        },
      ),
    )
  })
})
