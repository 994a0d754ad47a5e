import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { DAY, HOUR, MINUTE, SECOND } from '../../core/clock.ts'
import { LAST_CALL } from '../../jobs/job.ts'
import { PARKED_AFTER, PAUSES } from '../../jobs/turns/breaker.ts'
import { HORIZON, MARGIN, nextAttemptAt, WAITS } from './retry.ts'

const NOW = 1_795_000_000_000

describe('the retry schedule (specification 8)', () => {
  it('waits 1 s, 5 s, 30 s, 5 min and 30 min, and then every 30 min', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 50].map((attempts) =>
      nextAttemptAt({ attempts, now: 0, horizon: DAY }),
    )
    assert.deepEqual(waits, [1_000, 5_000, 30_000, 300_000, 1_800_000, 1_800_000, 1_800_000, 1_800_000])
    assert.deepEqual(WAITS, waits.slice(0, 5))
  })

  it('has waits that fit the pauses of a parked lane', () => {
    // A job that has failed often enough to park its lane alone waits longer than the longest pause …
    assert.ok(Math.max(...PAUSES) <= (WAITS[PARKED_AFTER] ?? Math.max(...WAITS)))
    // … and the last wait ends before the moment after which no pause holds a job.
    assert.ok(Math.max(...WAITS) <= LAST_CALL)
  })

  it('counts from the end of the attempt that has failed', () => {
    assert.equal(nextAttemptAt({ attempts: 2, now: NOW, horizon: NOW + DAY }), NOW + 5_000)
  })

  it('goes on for 24 hours', () => {
    assert.equal(HORIZON, 86_400_000)
  })

  it('makes 52 attempts in 24 hours when each one fails at once, the last before the horizon', () => {
    const starts: number[] = []
    for (let now: number | undefined = NOW; now !== undefined; ) {
      starts.push(now)
      now = nextAttemptAt({ attempts: starts.length, now, horizon: NOW + DAY })
    }
    assert.equal(starts.length, 52)
    const last = starts.at(-1) ?? 0
    assert.ok(last <= NOW + DAY && last > NOW + DAY - HOUR)
  })

  it('lets an attempt start at the horizon, and none after it', () => {
    assert.equal(nextAttemptAt({ attempts: 1, now: NOW, horizon: NOW + SECOND }), NOW + SECOND)
    assert.equal(nextAttemptAt({ attempts: 1, now: NOW, horizon: NOW + SECOND - 1 }), undefined)
    assert.equal(nextAttemptAt({ attempts: 9, now: NOW, horizon: NOW + 30 * MINUTE - 1 }), undefined)
    assert.equal(nextAttemptAt({ attempts: 1, now: NOW, horizon: NOW - DAY }), undefined)
  })
})

describe('a destination that asks to be left alone (`Retry-After`)', () => {
  const ask = (notBefore: number, attempts = 3, horizon = NOW + DAY) =>
    nextAttemptAt({ attempts, now: NOW, horizon, notBefore })

  it('can only lengthen a wait', () => {
    assert.equal(ask(NOW + 10 * SECOND), NOW + 30 * SECOND)
    assert.equal(ask(NOW - HOUR), NOW + 30 * SECOND)
    assert.equal(ask(NOW + 30 * SECOND), NOW + 30 * SECOND)
    assert.equal(ask(NOW + 30 * SECOND + 1), NOW + 30 * SECOND + 1)
    assert.equal(ask(NOW + HOUR), NOW + HOUR)
  })

  it('does not take the last attempt away: it is made a minute before the horizon', () => {
    assert.equal(MARGIN, 60_000)
    assert.equal(ask(NOW + DAY - MINUTE - 1), NOW + DAY - MINUTE - 1)
    for (const late of [DAY - MINUTE, DAY - MINUTE + 1, DAY, DAY + 1, 7 * DAY])
      assert.equal(ask(NOW + late), NOW + DAY - MINUTE, `${late} ms`)
  })

  it('does not bring it forward either: near the horizon it has its own wait', () => {
    assert.equal(ask(NOW + DAY, 1, NOW + 30 * SECOND), NOW + SECOND)
    assert.equal(ask(NOW + DAY, 3, NOW + 30 * SECOND), NOW + 30 * SECOND)
    assert.equal(ask(NOW + DAY, 3, NOW + 30 * SECOND - 1), undefined)
  })

  it('is asked again for every wish, and has ended by the horizon', () => {
    let now: number | undefined = NOW
    let attempts = 0
    while (now !== undefined && attempts < 1_000) {
      attempts += 1
      now = nextAttemptAt({ attempts, now, horizon: NOW + DAY, notBefore: now + DAY })
    }
    // At once, a minute before the horizon, and nothing more: the next wait is 5 s, the one after 30 s, and so on.
    assert.ok(attempts >= 2 && attempts <= 5, String(attempts))
    assert.equal(now, undefined)
  })
})

describe('whatever the wait', () => {
  it('no attempt starts after the horizon, before its own wait, or earlier than was asked where there is time', () => {
    const moment = fc.integer({ min: 0, max: 2 * DAY })
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        moment,
        moment,
        fc.option(moment, { nil: undefined }),
        (attempts, now, horizon, notBefore) => {
          const at = nextAttemptAt({ attempts, now, horizon, notBefore })
          const earliest = now + (WAITS[Math.min(attempts, 5) - 1] ?? 0)
          assert.equal(at === undefined, earliest > horizon)
          if (at === undefined) return
          assert.ok(at >= earliest && at <= horizon)
          assert.ok(at >= Math.min(notBefore ?? 0, horizon - MARGIN))
          if ((notBefore ?? 0) <= earliest) assert.equal(at, earliest)
        },
      ),
    )
  })
})
