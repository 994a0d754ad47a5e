import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MINUTE, type Millis, SECOND } from '../../core/clock.ts'
import { type Answer, FIRST_LEVEL, FIRST_LIMIT, type Level, levelAfter, recalled } from './level.ts'

const CAP = 256
const NOW = 1_800_000_000_000

function answer(more: Partial<Answer> & { now?: Millis } = {}): Answer {
  const { now = NOW, durationMs = 100 } = more
  return { isHealthy: true, durationMs, startedAt: now - durationMs, now, inFlight: CAP, ...more }
}

/** The level after `count` of the same answers. */
function after(level: Level, count: number, more: Partial<Answer> = {}, cap = CAP): Level {
  let last = level
  for (let n = 0; n < count; n++) last = levelAfter(last, answer(more), cap)
  return last
}

describe('the level of a webhook', () => {
  it('is one more after each answer, up to what the webhook takes', () => {
    assert.equal(after(FIRST_LEVEL, 1).limit, FIRST_LIMIT + 1)
    assert.equal(after(FIRST_LEVEL, 1_000).limit, CAP)
    assert.equal(after(FIRST_LEVEL, 1_000, {}, 16).limit, 16)
    assert.equal(after(FIRST_LEVEL, 1, {}, 3).limit, 3)
  })

  it('does not grow for what was not asked of it: less than half of it was under way', () => {
    assert.equal(after(FIRST_LEVEL, 100, { inFlight: 1 }).limit, FIRST_LIMIT)
    assert.equal(after(FIRST_LEVEL, 1, { inFlight: 2 }).limit, FIRST_LIMIT + 1)
    assert.equal(after(FIRST_LEVEL, 100, { inFlight: 2 }).limit, FIRST_LIMIT + 1)
  })

  it('is half after a failure, and never less than one', () => {
    const wide = after(FIRST_LEVEL, 252)
    const failure = { isHealthy: false, startedAt: NOW, now: NOW + 1 }
    assert.equal(levelAfter(wide, answer(failure), CAP).limit, 128)
    let level = wide
    for (let n = 1; n <= 10; n++)
      level = levelAfter(level, answer({ isHealthy: false, startedAt: NOW + n, now: NOW + n }), CAP)
    assert.equal(level.limit, 1)
  })

  it('loses one for each other failure of what was under way with the first: it is the same trouble', () => {
    const wide = after(FIRST_LEVEL, 252)
    const halved = levelAfter(wide, answer({ isHealthy: false }), CAP)
    const same = { isHealthy: false, startedAt: NOW - 1, now: NOW + 1 }
    assert.equal(levelAfter(halved, answer(same), CAP).limit, 127)
    assert.equal(after(halved, 1_000, same).limit, 1)
    // Begun in the moment of the fall, or after it: trouble of its own.
    assert.equal(levelAfter(halved, answer({ ...same, startedAt: NOW }), CAP).limit, 64)
  })

  it('is halved by a failure at a clock that was set back', () => {
    const halved = levelAfter(after(FIRST_LEVEL, 252), answer({ isHealthy: false }), CAP)
    const back = NOW - 60 * MINUTE
    assert.equal(levelAfter(halved, answer({ isHealthy: false, startedAt: back, now: back }), CAP).limit, 64)
  })

  it('holds while answers take between twice and four times as long as they used to', () => {
    const wide = after(FIRST_LEVEL, 100)
    const slower = after(wide, 200, { durationMs: 300 })
    assert.ok(slower.limit < 2 * wide.limit, `${slower.limit}`)
    assert.equal(after(slower, 100, { durationMs: 300 }).limit, slower.limit)
  })

  it('falls gently while they take more than four times as long, to what every webhook begins with', () => {
    const wide = after(FIRST_LEVEL, 100)
    const slow = after(wide, 400, { durationMs: 1_000 })
    const [one, two] = [after(slow, 4, { durationMs: 1_000 }), after(slow, 8, { durationMs: 1_000 })]
    assert.ok(slow.limit < wide.limit)
    assert.equal(one.limit, slow.limit - 1)
    assert.equal(two.limit, slow.limit - 2)
    assert.equal(after(slow, 1_000, { durationMs: 1_000 }).limit, FIRST_LIMIT)
  })

  it('takes answers of less than 25 ms for equally quick', () => {
    const quick = after(FIRST_LEVEL, 100, { durationMs: 1 })
    assert.equal(after(quick, 100, { durationMs: 25 }).limit, quick.limit + 100)
    assert.equal(after(quick, 100, { durationMs: 50 }).limit, quick.limit + 100)
  })

  it('is learnt anew after a minute of longer answers, from those that do not wait behind the old ones', () => {
    const strained = after(after(FIRST_LEVEL, 100), 100, { durationMs: 400 })
    const later = NOW + MINUTE
    const almost = levelAfter(strained, answer({ durationMs: 400, now: later - 1 }), CAP)
    assert.equal(almost.limit, strained.limit)
    const anew = levelAfter(strained, answer({ durationMs: 400, now: later }), CAP)
    assert.equal(anew.limit, FIRST_LIMIT)
    const behind = answer({ durationMs: 400, startedAt: later + 1, now: later + 401 })
    assert.deepEqual(levelAfter(anew, behind, CAP), anew)
    const behindNone = answer({ durationMs: 400, startedAt: later + 400, now: later + 800 })
    assert.equal(levelAfter(anew, behindNone, CAP).limit, FIRST_LIMIT + 1)
    // What takes 400 ms now is usual.
    assert.equal(after(anew, 1_000, { durationMs: 400, startedAt: later + 400, now: later + 800 }).limit, CAP)
  })

  it('learns at once when the clock is set back far', () => {
    const anew: Level = { ...FIRST_LEVEL, learnsFrom: NOW }
    const back = NOW - 60 * MINUTE
    assert.equal(levelAfter(anew, answer({ now: back }), CAP).limit, FIRST_LIMIT + 1)
    const strained = {
      ...after(after(FIRST_LEVEL, 100), 100, { durationMs: 400 }),
      strainedAt: NOW + 60 * MINUTE,
    }
    assert.equal(levelAfter(strained, answer({ durationMs: 400 }), CAP).strainedAt, NOW)
  })

  it('is remembered as wide as it was, and learns its latencies anew', () => {
    assert.deepEqual(recalled(57), { ...FIRST_LEVEL, limit: 57 })
    assert.equal(recalled(0).limit, 1)
  })
})

interface Destination {
  /** How long an answer takes when so many are under way. */
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

/** Sends what arrives to a destination, millisecond by millisecond. */
function send({ latency, refuses = () => false }: Destination, perSecond: number, seconds: number) {
  const underWay: { startedAt: Millis; endsAt: Millis; isHealthy: boolean }[] = []
  let [level, waiting, refused] = [FIRST_LEVEL, 0, 0]
  for (let now = 0; now < seconds * SECOND; now++) {
    waiting += perSecond / SECOND
    for (const one of underWay.filter(({ endsAt }) => endsAt <= now)) {
      const inFlight = underWay.length
      underWay.splice(underWay.indexOf(one), 1)
      const { startedAt, isHealthy } = one
      if (!isHealthy) [waiting, refused] = [waiting + 1, refused + 1]
      level = levelAfter(level, { isHealthy, durationMs: now - startedAt, startedAt, now, inFlight }, CAP)
    }
    while (waiting >= 1 && underWay.length < Math.floor(level.limit)) {
      const count = underWay.length + 1
      underWay.push({ startedAt: now, endsAt: now + latency(count), isHealthy: !refuses(count) })
      waiting -= 1
    }
  }
  return { limit: level.limit, waiting, refused }
}

describe('a destination that is sent to', () => {
  it('and takes 300 ms an answer keeps up with 600 events a second', () => {
    const { waiting } = send({ latency: () => 300 }, 600, 20)
    assert.ok(waiting < 10, `${waiting} wait`)
  })

  it('and is slow now and then keeps up as well', () => {
    const dice = createDice()
    const { waiting } = send({ latency: () => (dice() < 0.1 ? 1_000 : 10) }, 600, 20)
    assert.ok(waiting < 10, `${waiting} wait`)
  })

  it('and answers one after the other is asked few at once, however long it goes on', () => {
    const { limit } = send({ latency: (count) => 10 * count }, 600, 400)
    assert.ok(limit <= 32, `${limit} at once`)
  })

  it('and refuses what is too much gets most of what it takes', () => {
    const { limit, refused } = send({ latency: () => 100, refuses: (count) => count > 32 }, 600, 30)
    assert.ok(limit > 12 && limit < 50, `${limit} at once`)
    assert.ok(refused < 0.1 * 30 * 320, `${refused} refused`)
  })

  it('and becomes slower for good is found out within two minutes', () => {
    let asked = 0
    const { limit } = send({ latency: () => (asked++ > 10_000 ? 1_000 : 100) }, 600, 180)
    assert.ok(limit > 200, `${limit} at once`)
  })
})
