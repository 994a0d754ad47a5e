import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { DAY, fromIso, type Millis, toIso } from '../../core/clock.ts'
import { CYCLES } from '../../core/plans.ts'
import { cycleAt } from './cycle.ts'

const at = (text: string): Millis => fromIso(text) as Millis
const span = (anchor: string, unit: (typeof CYCLES)[number], now: string) => {
  const { start, end } = cycleAt(at(anchor), unit, at(now))
  return [toIso(start).slice(0, 10), toIso(end).slice(0, 10)]
}

describe('a cycle', () => {
  it('of months begins on the organization’s day, and on the last day where the month lacks it', () => {
    const anchor = '2026-01-31T10:00:00.000Z'
    assert.deepEqual(span(anchor, 'month', '2026-01-31T10:00:00.000Z'), ['2026-01-31', '2026-02-28'])
    assert.deepEqual(span(anchor, 'month', '2026-02-28T09:59:59.999Z'), ['2026-01-31', '2026-02-28'])
    assert.deepEqual(span(anchor, 'month', '2026-02-28T10:00:00.000Z'), ['2026-02-28', '2026-03-31'])
    assert.deepEqual(span(anchor, 'month', '2026-04-15T00:00:00.000Z'), ['2026-03-31', '2026-04-30'])
    assert.deepEqual(span(anchor, 'month', '2028-02-29T10:00:00.000Z'), ['2028-02-29', '2028-03-31'])
  })

  it('of a year keeps 29 February for the years that have it', () => {
    const anchor = '2024-02-29T00:00:00.000Z'
    assert.deepEqual(span(anchor, 'year', '2025-03-01T00:00:00.000Z'), ['2025-02-28', '2026-02-28'])
    assert.deepEqual(span(anchor, 'year', '2028-03-01T00:00:00.000Z'), ['2028-02-29', '2029-02-28'])
  })

  it('of days and weeks has a length', () => {
    const anchor = '2026-03-28T12:00:00.000Z'
    assert.deepEqual(span(anchor, 'day', '2026-03-30T11:00:00.000Z'), ['2026-03-29', '2026-03-30'])
    assert.deepEqual(span(anchor, 'week', '2026-04-11T12:00:00.000Z'), ['2026-04-11', '2026-04-18'])
  })

  it('before its anchor is the first one: only a clock that was set back is there', () => {
    for (const unit of CYCLES)
      assert.equal(cycleAt(at('2026-05-05T00:00:00Z'), unit, 0).start, at('2026-05-05T00:00:00Z'))
  })

  it('holds its moment, and the next one begins where it ends, for every anchor and moment', () => {
    const moment = fc.integer({ min: at('2000-01-01T00:00:00Z'), max: at('2100-01-01T00:00:00Z') })
    fc.assert(
      fc.property(moment, moment, fc.constantFrom(...CYCLES), (one, other, unit) => {
        const [anchor, now] = one < other ? [one, other] : [other, one]
        const { start, end } = cycleAt(anchor, unit, now)
        assert.ok(start <= now && now < end, `${toIso(start)} ${toIso(now)} ${toIso(end)}`)
        assert.ok(end - start <= 366 * DAY)
        assert.deepEqual(cycleAt(anchor, unit, start), { start, end })
        assert.equal(cycleAt(anchor, unit, end).start, end)
      }),
      { numRuns: 2_000 },
    )
  })
})
