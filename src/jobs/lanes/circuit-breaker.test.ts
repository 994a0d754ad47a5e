import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { DAY, MINUTE } from '../../core/clock.ts'
import { newId } from '../../core/id.ts'
import { LAST_CALL } from '../job.ts'
import { type Breaker, circuitBreaker, PARKING } from './circuit-breaker.ts'

const { closed, isParked, afterAttempt, heldUntil, withoutPause } = circuitBreaker
const START = 1_795_000_000_000
const [one, other] = [newId('delivery', START), newId('delivery', START)]
const horizon = START + DAY

/** A breaker after so many failures of one delivery, the first `lasted` before START and all others then. */
function failed(times: number, lasted: number = PARKING.within): Breaker {
  let breaker = closed
  for (let time = 0; time < times; time += 1) {
    const now = time === 0 ? START - lasted : START
    breaker = afterAttempt(breaker, { id: one, isReachable: false, isPending: true, now })
  }
  return breaker
}

const attempts = fc.array(
  fc.record({
    id: fc.constantFrom(one, other),
    isReachable: fc.boolean(),
    isPending: fc.boolean(),
    now: fc.integer({ min: START, max: START + 60 * MINUTE }),
  }),
  { maxLength: 40 },
)
const run = (ends: Parameters<typeof afterAttempt>[1][]) => ends.reduce(afterAttempt, closed)

describe('the breaker of a lane', () => {
  it('parks it after ten failures in a row that took two seconds', () => {
    assert.equal(isParked(failed(PARKING.after - 1)), false)
    assert.equal(isParked(failed(PARKING.after)), true)
    assert.equal(isParked(failed(10 * PARKING.after, PARKING.within - 1)), false)
  })

  it('closes after a success, and after nothing else, from any state', () => {
    fc.assert(
      fc.property(attempts, (ends) => {
        const parked = ends.map((_, index) => isParked(run(ends.slice(0, index + 1))))
        for (const [index, { isReachable }] of ends.entries()) {
          const { length } = ends
            .slice(0, index + 1)
            .slice(ends.slice(0, index + 1).findLastIndex((end) => end.isReachable) + 1)
          if (isReachable || length < PARKING.after) assert.equal(parked[index], false)
          else if (parked[index - 1]) assert.equal(parked[index], true)
        }
      }),
    )
  })

  it('holds other jobs between two probes for 1, 2, 4, 8, 15 and then 30 seconds', () => {
    const waits = Array.from({ length: 8 }, (_, probes) => {
      const until = heldUntil(failed(PARKING.after + probes), { id: other, horizon }, START)
      return (until ?? START) - START
    })
    assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 30_000, 30_000])
    assert.equal(heldUntil(failed(PARKING.after), { id: other, horizon }, START + 1_000), undefined)
  })

  it('never holds a single delivery, one close to its horizon, or any in a lane that is not parked', () => {
    fc.assert(
      fc.property(attempts, fc.integer({ min: START, max: horizon }), (ends, now) => {
        const breaker = run(ends)
        const last = ends.at(-1)
        if (!isParked(breaker)) assert.equal(heldUntil(breaker, { id: one, horizon }, now), undefined)
        // Alone: the last attempt was its own, or that of a delivery which has ended.
        if (last?.id === one || last?.isPending === false)
          assert.equal(heldUntil(breaker, { id: one, horizon }, now), undefined)
        assert.equal(heldUntil(breaker, { id: one, horizon: now + LAST_CALL }, now), undefined)
      }),
    )
  })

  it('holds no job longer than its longest pause, for any change of the clock', () => {
    fc.assert(
      fc.property(attempts, fc.integer({ min: START - DAY, max: horizon }), (ends, now) => {
        const until = heldUntil(run(ends), { id: other, horizon: now + DAY }, now)
        if (until !== undefined) assert.ok(until > now && until <= now + Math.max(...PARKING.pauses))
      }),
    )
  })

  it('holds exactly the jobs other than the last tried one, until a moment, unless they are close to their horizon', () => {
    const parked = failed(PARKING.after)
    const until = START + 1_000
    const waits = { id: other, horizon: START + LAST_CALL + 1 }
    assert.equal(LAST_CALL, 30 * MINUTE)
    assert.equal(heldUntil(parked, waits, START), until)
    assert.equal(heldUntil(parked, { ...waits, horizon: START + LAST_CALL }, START), undefined)
    assert.equal(heldUntil(parked, { ...waits, id: one }, START), undefined)
    assert.equal(heldUntil(parked, { ...waits, horizon }, until - 1), until)
    assert.equal(heldUntil(parked, { ...waits, horizon }, until), undefined)
    assert.equal(heldUntil(parked, { ...waits, horizon }, START - 1), undefined)
    assert.equal(heldUntil(failed(PARKING.after - 1), waits, START), undefined)
    const ended = afterAttempt(parked, { id: one, isReachable: false, isPending: false, now: START })
    assert.equal(isParked(ended), true)
    assert.equal(heldUntil(ended, waits, START), undefined)
  })

  it('restarts the time when the clock was set back, and opens no lane because of it', () => {
    const back = START - MINUTE
    const failure = { id: one, isReachable: false, isPending: true }
    let breaker = afterAttempt(failed(1, 0), { ...failure, now: back })
    for (let time = 2; time < PARKING.after; time += 1) {
      assert.equal(isParked(breaker), false)
      breaker = afterAttempt(breaker, { ...failure, now: back + PARKING.within })
    }
    assert.equal(isParked(breaker), true)
    for (const now of [back - MINUTE, back, START]) {
      breaker = afterAttempt(breaker, { ...failure, now })
      assert.equal(isParked(breaker), true)
    }
  })

  it('waits for no pause when a person expects an attempt, stays parked, and pauses briefly after it', () => {
    const breaker = withoutPause(failed(PARKING.after + 4))
    assert.equal(isParked(breaker), true)
    assert.equal(heldUntil(breaker, { id: other, horizon }, START), undefined)
    const failedTwice = afterAttempt(breaker, { id: one, isReachable: false, isPending: true, now: START })
    assert.equal(heldUntil(failedTwice, { id: other, horizon }, START), START + 2_000)
  })
})
