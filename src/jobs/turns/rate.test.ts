import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HOUR, type Millis, SECOND } from '../../core/clock.ts'
import { afterCall, NO_RATE, type Rate, rateHolds, withRate } from './rate.ts'

const NOW = 1_800_000_000_000

/** The moments at which calls begin when more of them always wait, to the millisecond. */
function calls(perSecond: number, seconds: number): Millis[] {
  const moments: Millis[] = []
  let rate = withRate(NO_RATE, perSecond)
  for (let now = NOW; now < NOW + seconds * SECOND; now++) {
    while (rateHolds(rate, now) === undefined) {
      moments.push(now)
      rate = afterCall(rate, now)
    }
  }
  return moments
}

describe('the rate of a webhook', () => {
  for (const perSecond of [0.5, 1, 7, 100, 10_000]) {
    it(`of ${perSecond} a second is reached, and not passed in any second`, () => {
      const moments = calls(perSecond, 10)
      const first = Math.ceil(perSecond * 10)
      assert.ok(Math.abs(moments.length - first) <= 1 + perSecond * 0.02, `${moments.length} calls`)
      for (let index = 0; index < moments.length; index++) {
        const from = moments[index] ?? 0
        const within = moments.slice(index).filter((moment) => moment < from + SECOND).length
        assert.ok(within <= Math.ceil(perSecond * 1.02) + 1, `${within} within a second`)
        if (perSecond > 1_000) index += 997
      }
    })
  }

  it('says when the next call may go', () => {
    let rate = withRate(NO_RATE, 2)
    assert.equal(rateHolds(rate, NOW), undefined)
    rate = afterCall(rate, NOW)
    assert.equal(rateHolds(rate, NOW), NOW + 480)
    assert.equal(rateHolds(rate, NOW + 479), NOW + 480)
    assert.equal(rateHolds(rate, NOW + 480), undefined)
  })

  it('that was not said holds nothing', () => {
    assert.equal(rateHolds(NO_RATE, NOW), undefined)
    assert.equal(afterCall(NO_RATE, NOW), NO_RATE)
  })

  it('that is changed still counts what was called before', () => {
    const before = afterCall(withRate(NO_RATE, 1), NOW)
    assert.equal(withRate(before, 1), before)
    assert.equal(rateHolds(withRate(before, 1), NOW), NOW + 980)
    assert.equal(rateHolds(withRate(before, null), NOW), undefined)
    assert.equal(rateHolds(withRate(before, 10), NOW), NOW + 100)
  })

  it('holds nobody longer at a clock that was set back than one call takes', () => {
    const ahead: Rate = afterCall(withRate(NO_RATE, 4), NOW + HOUR)
    assert.equal(rateHolds(ahead, NOW), NOW + 250)
    assert.equal(rateHolds(afterCall(ahead, NOW), NOW), NOW + 250)
    assert.equal(rateHolds(afterCall(ahead, NOW), NOW + 500), undefined)
  })

  it('lets calls that nobody made be made up for by 20 ms, not more', () => {
    const idle = afterCall(withRate(NO_RATE, 100), NOW)
    let rate = idle
    let count = 0
    for (const now = NOW + HOUR; rateHolds(rate, now) === undefined; count++) rate = afterCall(rate, now)
    assert.equal(count, 3)
  })
})
