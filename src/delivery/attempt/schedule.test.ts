import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nextAttemptAt } from '../../core/backoff.ts'
import { DAY, HOUR } from '../../core/clock.ts'
import { LAST_CALL } from '../../jobs/job.ts'
import { PARKING } from '../../jobs/lanes/circuit-breaker.ts'
import { HORIZON, horizonOf, WAITS } from './schedule.ts'

const NOW = 1_795_000_000_000

describe('the retry schedule (specification 8)', () => {
  it('waits 1 s, 5 s, 30 s, 5 min and 30 min, and then every 30 min', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 50].map((attempts) =>
      nextAttemptAt({ waits: WAITS, attempts, now: 0, horizon: DAY }),
    )
    assert.deepEqual(waits, [1_000, 5_000, 30_000, 300_000, 1_800_000, 1_800_000, 1_800_000, 1_800_000])
    assert.deepEqual(WAITS, waits.slice(0, 5))
  })

  it('has waits that fit the pauses of a parked lane', () => {
    // A job that has failed often enough to park its lane alone waits longer than the longest pause.
    assert.ok(Math.max(...PARKING.pauses) <= (WAITS[PARKING.after] ?? Math.max(...WAITS)))
    // The last wait ends before the moment after which no pause holds a job.
    assert.ok(Math.max(...WAITS) <= LAST_CALL)
  })

  it('counts from the end of the attempt that has failed', () => {
    assert.equal(nextAttemptAt({ waits: WAITS, attempts: 2, now: NOW, horizon: NOW + DAY }), NOW + 5_000)
  })

  it('continues for 24 hours', () => {
    assert.equal(HORIZON, 86_400_000)
  })

  it('continues for 24 hours from the last of: when it was due, the end of a pause, and the end of the wait for a rate or a client', () => {
    const horizon = NOW + DAY
    assert.equal(horizonOf({ horizon, resumedAt: null }), horizon)
    assert.equal(horizonOf({ horizon, resumedAt: null, awaitedAt: undefined }), horizon)
    assert.equal(horizonOf({ horizon, resumedAt: NOW - 1 }), horizon)
    assert.equal(horizonOf({ horizon, resumedAt: NOW + 1 }), horizon + 1)
    assert.equal(horizonOf({ horizon, resumedAt: NOW + 1, awaitedAt: NOW + 2 }), horizon + 2)
    assert.equal(horizonOf({ horizon, resumedAt: NOW + 3, awaitedAt: NOW + 2 }), horizon + 3)
    assert.equal(horizonOf({ horizon, resumedAt: null, awaitedAt: NOW - 2 }), horizon)
  })

  it('makes 52 attempts in 24 hours when each one fails at once, the last before the horizon', () => {
    const starts: number[] = []
    for (let now: number | undefined = NOW; now !== undefined; ) {
      starts.push(now)
      now = nextAttemptAt({ waits: WAITS, attempts: starts.length, now, horizon: NOW + DAY })
    }
    assert.equal(starts.length, 52)
    const last = starts.at(-1) ?? 0
    assert.ok(last <= NOW + DAY && last > NOW + DAY - HOUR)
  })
})
