import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HOUR, type Millis, SECOND } from '../../core/clock.ts'
import { bucketOf, nextTokenAt, type TokenBucket, takeToken } from './token-bucket.ts'

const NOW = 1_800_000_000_000

/** The start times of calls while more are always waiting, in milliseconds. */
function calls(perSecond: number, seconds: number): Millis[] {
  const moments: Millis[] = []
  let rate = bucketOf(perSecond)
  for (let now = NOW; now < NOW + seconds * SECOND; now++) {
    while (nextTokenAt(rate, now) === undefined) {
      moments.push(now)
      rate = takeToken(rate, now)
    }
  }
  return moments
}

describe('the token bucket of a webhook', () => {
  for (const perSecond of [0.5, 1, 7, 100, 10_000]) {
    it(`with ${perSecond} a second is used up, and not exceeded in any second`, () => {
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

  it('says when the next call may begin', () => {
    let rate = bucketOf(2)
    assert.equal(nextTokenAt(rate, NOW), undefined)
    rate = takeToken(rate, NOW)
    assert.equal(nextTokenAt(rate, NOW), NOW + 480)
    assert.equal(nextTokenAt(rate, NOW + 479), NOW + 480)
    assert.equal(nextTokenAt(rate, NOW + 480), undefined)
  })

  it('without a rate holds no call', () => {
    assert.equal(nextTokenAt(bucketOf(null), NOW), undefined)
    assert.deepEqual(takeToken(bucketOf(null), NOW), bucketOf(null))
  })

  it('with another rate still counts earlier calls', () => {
    const before = takeToken(bucketOf(1), NOW)
    assert.equal(bucketOf(1, before), before)
    assert.equal(nextTokenAt(bucketOf(1, before), NOW), NOW + 980)
    assert.equal(nextTokenAt(bucketOf(null, before), NOW), undefined)
    assert.equal(nextTokenAt(bucketOf(10, before), NOW), NOW + 100)
  })

  it('holds a call for one interval at most after the clock was set back', () => {
    const ahead: TokenBucket = takeToken(bucketOf(4), NOW + HOUR)
    assert.equal(nextTokenAt(ahead, NOW), NOW + 250)
    assert.equal(nextTokenAt(takeToken(ahead, NOW), NOW), NOW + 250)
    assert.equal(nextTokenAt(takeToken(ahead, NOW), NOW + 500), undefined)
  })

  it('makes up for unused time by 20 ms at most', () => {
    const idle = takeToken(bucketOf(100), NOW)
    let rate = idle
    let count = 0
    for (const now = NOW + HOUR; nextTokenAt(rate, now) === undefined; count++) rate = takeToken(rate, now)
    assert.equal(count, 3)
  })
})
