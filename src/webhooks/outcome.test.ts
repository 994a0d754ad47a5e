import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { DAY } from '../core/clock.ts'
import { classify, type Failure, type Outcome } from './outcome.ts'

const NOW = 1_795_000_000_000

/** Decisions 3, row by row. */
const TABLE: [number | Failure, Outcome['verdict']][] = [
  [200, 'delivered'],
  [204, 'delivered'],
  [299, 'delivered'],
  [500, 'retry'],
  [503, 'retry'],
  [599, 'retry'],
  ['timeout', 'retry'],
  ['refused', 'retry'],
  ['reset', 'retry'],
  ['dns', 'retry'],
  ['tls', 'retry'],
  ['invalid_answer', 'retry'],
  [429, 'retry'],
  [410, 'gone'],
  [400, 'failed'],
  [401, 'failed'],
  [404, 'failed'],
  [408, 'failed'],
  [301, 'failed'],
  [308, 'failed'],
  ['blocked_address', 'failed'],
]

function outcomeOf(row: number | Failure, retryAfter?: string): Outcome {
  return classify(typeof row === 'number' ? { status: row, retryAfter } : { failure: row }, NOW)
}

describe('the outcome table (decisions 3)', () => {
  for (const [row, verdict] of TABLE) {
    it(`${row} is ${verdict}`, () => assert.equal(outcomeOf(row).verdict, verdict))
  }

  it('has a verdict and a reason for every status there can be', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 999 }),
        fc.option(fc.string(), { nil: undefined }),
        (status, retryAfter) => {
          const { verdict, reason, notBefore } = outcomeOf(status, retryAfter)
          assert.equal(verdict === 'delivered', status >= 200 && status < 300)
          assert.equal(verdict === 'retry', status === 429 || (status >= 500 && status < 600))
          assert.equal(reason, `http_${status}`)
          assert.ok(notBefore === undefined || (notBefore > NOW && notBefore <= NOW + DAY))
        },
      ),
    )
  })

  it('reads Retry-After as seconds and as a date, and ignores anything else (RFC 9110 10.2.3)', () => {
    assert.equal(outcomeOf(503, '120').notBefore, NOW + 120_000)
    assert.equal(outcomeOf(429, 'Wed, 18 Nov 2020 15:06:40 GMT').notBefore, undefined)
    assert.equal(outcomeOf(429, 'Wed, 18 Nov 2099 15:06:40 GMT').notBefore, NOW + DAY)
    for (const nonsense of ['-1', '1.5', 'soon', '', '0', '1e9', '2026-11-20']) {
      assert.equal(outcomeOf(503, nonsense).notBefore, undefined, nonsense)
    }
    assert.equal(outcomeOf(404, '120').notBefore, undefined)
  })
})
