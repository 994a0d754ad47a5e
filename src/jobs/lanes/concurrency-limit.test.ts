import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MINUTE, type Millis, SECOND } from '../../core/clock.ts'
import { type Answer, type ConcurrencyLimit, FIRST_LIMIT, limitAfter, limitOf } from './concurrency-limit.ts'

const CAP = 256
const FIRST = limitOf(FIRST_LIMIT)
const NOW = 1_800_000_000_000

function answer(more: Partial<Answer> & { now?: Millis } = {}): Answer {
  const { now = NOW, durationMs = 100 } = more
  return { isReachable: true, durationMs, startedAt: now - durationMs, now, inFlight: CAP, ...more }
}

/** The limit after `count` equal answers. */
function after(
  level: ConcurrencyLimit,
  count: number,
  more: Partial<Answer> = {},
  cap = CAP,
): ConcurrencyLimit {
  let last = level
  for (let n = 0; n < count; n++) last = limitAfter(last, answer(more), cap)
  return last
}

describe('the concurrency limit of a webhook', () => {
  it('grows by one with each answer, up to the limit of the webhook', () => {
    assert.equal(after(FIRST, 1).limit, FIRST_LIMIT + 1)
    assert.equal(after(FIRST, 1_000).limit, CAP)
    assert.equal(after(FIRST, 1_000, {}, 16).limit, 16)
    assert.equal(after(FIRST, 1, {}, 3).limit, 3)
  })

  it('does not grow while less than half of it is in flight', () => {
    assert.equal(after(FIRST, 100, { inFlight: 1 }).limit, FIRST_LIMIT)
    assert.equal(after(FIRST, 1, { inFlight: 2 }).limit, FIRST_LIMIT + 1)
    assert.equal(after(FIRST, 100, { inFlight: 2 }).limit, FIRST_LIMIT + 1)
  })

  it('is half after a failure, and never less than one', () => {
    const wide = after(FIRST, 252)
    const failure = { isReachable: false, startedAt: NOW, now: NOW + 1 }
    assert.equal(limitAfter(wide, answer(failure), CAP).limit, 128)
    let level = wide
    for (let n = 1; n <= 10; n++)
      level = limitAfter(level, answer({ isReachable: false, startedAt: NOW + n, now: NOW + n }), CAP)
    assert.equal(level.limit, 1)
  })

  it('is halved once by all failures of the calls then in flight, and by each later failure', () => {
    const wide = after(FIRST, 252)
    const halved = limitAfter(wide, answer({ isReachable: false }), CAP)
    const same = { startedAt: NOW - 1, now: NOW + 1 }
    assert.equal(after(halved, 1_000, { ...same, isReachable: false }).limit, 128)
    assert.equal(after(halved, 1, same).limit, 129)
    assert.equal(
      limitAfter(halved, answer({ isReachable: false, startedAt: NOW, now: NOW + 1 }), CAP).limit,
      64,
    )
  })

  it('is halved by a failure at a clock that was set back', () => {
    const halved = limitAfter(after(FIRST, 252), answer({ isReachable: false }), CAP)
    const back = NOW - 60 * MINUTE
    assert.equal(
      limitAfter(halved, answer({ isReachable: false, startedAt: back, now: back }), CAP).limit,
      64,
    )
  })

  it('holds while answers take between twice and four times as long as usual', () => {
    const wide = after(FIRST, 100)
    const slower = after(wide, 200, { durationMs: 300 })
    assert.ok(slower.limit < 2 * wide.limit, `${slower.limit}`)
    assert.equal(after(slower, 100, { durationMs: 300 }).limit, slower.limit)
  })

  it('falls slowly while answers take more than four times as long, down to the first limit', () => {
    const wide = after(FIRST, 100)
    const slow = after(wide, 400, { durationMs: 1_000 })
    const [one, two] = [after(slow, 4, { durationMs: 1_000 }), after(slow, 8, { durationMs: 1_000 })]
    assert.ok(slow.limit < wide.limit)
    assert.equal(one.limit, slow.limit - 1)
    assert.equal(two.limit, slow.limit - 2)
    assert.equal(after(slow, 1_000, { durationMs: 1_000 }).limit, FIRST_LIMIT)
  })

  it('treats answers of less than 25 ms as equally quick', () => {
    const quick = after(FIRST, 100, { durationMs: 1 })
    assert.equal(after(quick, 100, { durationMs: 25 }).limit, quick.limit + 100)
    assert.equal(after(quick, 100, { durationMs: 50 }).limit, quick.limit + 100)
  })

  it('is measured again after a minute of slow answers, from attempts that began after it', () => {
    const slow = after(after(FIRST, 100), 100, { durationMs: 400 })
    const later = NOW + MINUTE
    const almost = limitAfter(slow, answer({ durationMs: 400, now: later - 1 }), CAP)
    assert.ok(almost.limit > 4 * FIRST_LIMIT)
    const anew = limitAfter(slow, answer({ durationMs: 400, now: later }), CAP)
    assert.equal(anew.limit, FIRST_LIMIT)
    const behind = answer({ durationMs: 400, startedAt: later - 1, now: later + 399 })
    assert.deepEqual(limitAfter(anew, behind, CAP), anew)
    const behindNone = answer({ durationMs: 400, startedAt: later, now: later + 400 })
    assert.equal(limitAfter(anew, behindNone, CAP).limit, FIRST_LIMIT + 1)
    // 400 ms are usual from here on.
    assert.equal(after(anew, 1_000, { durationMs: 400, startedAt: later, now: later + 400 }).limit, CAP)
  })

  it('changes at once after the clock was set back far', () => {
    const anew: ConcurrencyLimit = { ...FIRST, loweredAt: NOW }
    const back = NOW - 60 * MINUTE
    assert.equal(limitAfter(anew, answer({ now: back }), CAP).limit, FIRST_LIMIT + 1)
    const slow = { ...after(after(FIRST, 100), 100, { durationMs: 400 }), slowSince: NOW + 60 * MINUTE }
    assert.equal(limitAfter(slow, answer({ durationMs: 400 }), CAP).slowSince, NOW)
  })

  /** After many answers, the recent ones of `recent` ms in the mean, where `usual` ms are usual. */
  function known(recent: Millis, usual: Millis, limit = 16): ConcurrencyLimit {
    return { ...limitOf(limit), answers: 100, recent: Math.log(recent), usual: Math.log(usual) }
  }
  const isAbout = (actual: number, expected: number) =>
    assert.ok(Math.abs(actual - expected) < 1e-9, `${actual}, not ${expected}`)

  it('follows a mean of the last sixteen answers, or of as many as are in flight', () => {
    const moved = (limit: number) =>
      (limitAfter(known(100, 100, limit), answer({ durationMs: 200 }), CAP).recent - Math.log(100)) /
      Math.log(2)
    isAbout(moved(4), 2 / 17)
    isAbout(moved(31), 2 / 32)
  })

  it('has the mean of the first sixteen answers as the usual latency, and approaches a quicker mean step by step', () => {
    const first = { ...known(100, 100), answers: 15 }
    const sixteenth = limitAfter(first, answer({ durationMs: 200 }), CAP)
    assert.equal(sixteenth.usual, sixteenth.recent)
    assert.equal(limitAfter(sixteenth, answer({ durationMs: 400 }), CAP).usual, sixteenth.usual)
    const quicker = limitAfter(known(400, 400), answer({ durationMs: 100 }), CAP)
    isAbout(quicker.usual, Math.log(400) + (quicker.recent - Math.log(400)) / 8)
  })

  it('is at least one, for any stored value', () => {
    assert.deepEqual([limitOf(57).limit, limitOf(0).limit], [57, 1])
  })
})

interface Destination {
  /** The latency of an answer by the number of calls in flight. */
  latency: (underWay: number) => Millis
  refuses?: (underWay: number) => boolean
}

/** Numbers between 0 and 1, the same ones each time. */
function createDice(): () => number {
  let state = 42
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

/** Sends arriving calls to a destination, millisecond by millisecond. */
function send({ latency, refuses = () => false }: Destination, perSecond: number, seconds: number) {
  const underWay: { startedAt: Millis; endsAt: Millis; isReachable: boolean }[] = []
  let [level, waiting, refused, answered] = [FIRST, 0, 0, 0]
  for (let now = 0; now < seconds * SECOND; now++) {
    waiting += perSecond / SECOND
    for (const one of underWay.filter(({ endsAt }) => endsAt <= now)) {
      const inFlight = underWay.length
      underWay.splice(underWay.indexOf(one), 1)
      const { startedAt, isReachable } = one
      answered += 1
      if (!isReachable) [waiting, refused] = [waiting + 1, refused + 1]
      level = limitAfter(level, { isReachable, durationMs: now - startedAt, startedAt, now, inFlight }, CAP)
    }
    while (waiting >= 1 && underWay.length < Math.floor(level.limit)) {
      const count = underWay.length + 1
      underWay.push({ startedAt: now, endsAt: now + latency(count), isReachable: !refuses(count) })
      waiting -= 1
    }
  }
  return { limit: level.limit, waiting, refused, answered }
}

describe('a destination', () => {
  it('that takes 300 ms an answer keeps up with 600 events a second', () => {
    const { waiting } = send({ latency: () => 300 }, 600, 20)
    assert.ok(waiting < 10, `${waiting} wait`)
  })

  it('that is slow for every tenth answer keeps up as well', () => {
    const dice = createDice()
    const { waiting } = send({ latency: () => (dice() < 0.1 ? 1_000 : 10) }, 600, 20)
    assert.ok(waiting < 10, `${waiting} wait`)
  })

  it('that answers one call after the other gets 32 calls at once at most, also after minutes', () => {
    const { limit } = send({ latency: (count) => 10 * count }, 600, 400)
    assert.ok(limit <= 32, `${limit} at once`)
  })

  it('that refuses more than 32 calls at once gets 13 to 49 at once, and refuses less than a tenth', () => {
    const { limit, refused } = send({ latency: () => 100, refuses: (count) => count > 32 }, 600, 30)
    assert.ok(limit > 12 && limit < 50, `${limit} at once`)
    assert.ok(refused < 0.1 * 30 * 320, `${refused} refused`)
  })

  it('that becomes slower for good gets more than 200 calls at once again within two minutes', () => {
    let asked = 0
    // It becomes slower after 17 seconds.
    const { limit } = send({ latency: () => (asked++ > 10_000 ? 1_000 : 100) }, 600, 17 + 120)
    assert.ok(limit > 200, `${limit} at once`)
  })

  it('that fails one time in a hundred gets more than 48 calls at once on average', () => {
    const dice = createDice()
    const { answered } = send({ latency: () => 300, refuses: () => dice() < 0.01 }, 600, 60)
    // 48 at once are 160 a second.
    assert.ok(answered > 60 * 160, `${answered} answers`)
  })

  it('whose answers take between 12 ms and 5 s gets its full concurrency', () => {
    const dice = createDice()
    /** Between 12 ms and 5 s, two of three between 90 and 680 ms. */
    const latency = () => 250 * Math.exp(2 * (dice() + dice() + dice() - 1.5))
    const { limit } = send({ latency }, 600, 120)
    assert.equal(limit, CAP)
  })
})
