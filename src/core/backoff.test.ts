import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { MARGIN, nextAttemptAt, waitAfter } from './backoff.ts'
import { DAY, HOUR, MINUTE, type Millis, SECOND } from './clock.ts'

const NOW = 1_795_000_000_000
const waits: Millis[] = [SECOND, 5 * SECOND, 30 * SECOND, 5 * MINUTE, 30 * MINUTE]

describe('a schedule of waits', () => {
  it('has the wait of each failure, and repeats the last one', () => {
    assert.deepEqual(
      [1, 2, 5, 6, 100].map((failures) => waitAfter(waits, failures)),
      [SECOND, 5 * SECOND, 30 * MINUTE, 30 * MINUTE, 30 * MINUTE],
    )
    assert.equal(waitAfter([], 1), 0)
  })

  it('lets an attempt start at the horizon, and none after it', () => {
    assert.equal(nextAttemptAt({ waits, attempts: 1, now: NOW, horizon: NOW + SECOND }), NOW + SECOND)
    assert.equal(nextAttemptAt({ waits, attempts: 1, now: NOW, horizon: NOW + SECOND - 1 }), undefined)
    assert.equal(nextAttemptAt({ waits, attempts: 9, now: NOW, horizon: NOW + 30 * MINUTE - 1 }), undefined)
    assert.equal(nextAttemptAt({ waits, attempts: 1, now: NOW, horizon: NOW - DAY }), undefined)
  })
})

describe('a server that asks for a later attempt (`Retry-After`)', () => {
  const ask = (notBefore: number, attempts = 3, horizon = NOW + DAY) =>
    nextAttemptAt({ waits, attempts, now: NOW, horizon, notBefore })

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
      now = nextAttemptAt({ waits, attempts, now, horizon: NOW + DAY, notBefore: now + DAY })
    }
    // At once, and a minute before the horizon: the next wait is 5 s, the one after 30 s, and so on.
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
          const at = nextAttemptAt({ waits, attempts, now, horizon, notBefore })
          const earliest = now + (waits[Math.min(attempts, 5) - 1] ?? 0)
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
