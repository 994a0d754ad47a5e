import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  addDurations,
  bucketOf,
  CODES,
  type Histogram,
  LATENCY_ERROR,
  MADE,
  percentilesOf,
  UNTIMED,
} from './latency-buckets.ts'

const histogramOf = (durations: number[]) => {
  const histogram: Histogram = new Map()
  for (const duration of durations) addDurations(histogram, [[bucketOf(duration), 1]])
  return histogram
}

describe('buckets of latency', () => {
  it('stand for each duration within the error that is said', () => {
    for (let duration = 0; duration < 100_000; duration += 1) {
      const { p50 = Number.NaN } = percentilesOf(histogramOf([duration])) ?? {}
      assert.ok(Math.abs(p50 - duration) <= LATENCY_ERROR * duration, `${duration} as ${p50}`)
    }
  })

  it('are fewer than the numbers that stand for something else', () => {
    assert.ok(bucketOf(Number.MAX_SAFE_INTEGER) < UNTIMED)
    assert.ok(UNTIMED < MADE && MADE < CODES)
  })

  it('tell the percentiles of any durations within the error, however these were divided and added', () => {
    const durations = fc.array(fc.integer({ min: 0, max: 60_000 }), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(durations, fc.nat(), (all, place) => {
        const merged = histogramOf(all.slice(0, place % all.length))
        addDurations(merged, histogramOf(all.slice(place % all.length)))
        const sorted = all.toSorted((a, b) => a - b)
        const told = percentilesOf(merged)
        for (const [name, share] of [
          ['p50', 0.5],
          ['p95', 0.95],
          ['p99', 0.99],
        ] as const) {
          const exact = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
          const difference = Math.abs((told?.[name] ?? Number.NaN) - exact)
          assert.ok(difference <= LATENCY_ERROR * exact, `${name}: ${told?.[name]} for ${exact}`)
        }
      }),
    )
  })

  it('tell nothing of what took no attempt', () => {
    assert.equal(percentilesOf(new Map()), null)
    assert.equal(
      percentilesOf(
        new Map([
          [UNTIMED, 5],
          [MADE, 7],
        ]),
      ),
      null,
    )
  })
})
