import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { DAY, fromIso, toDate, toIso } from '../../core/clock.ts'
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

describe('the outcome table (decisions: webhooks)', () => {
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

  it('is exact at the edges of a hundred, and about what is no status at all', () => {
    const edges = [199, 200, 299, 300, 428, 429, 430, 409, 410, 411, 499, 500, 599, 600, 0, 99]
    assert.deepEqual(
      edges.map((status) => outcomeOf(status).verdict),
      [
        ...[
          'failed',
          'delivered',
          'delivered',
          'failed',
          'failed',
          'retry',
          'failed',
          'failed',
          'gone',
          'failed',
        ],
        ...['failed', 'retry', 'retry', 'failed', 'failed', 'failed'],
      ],
    )
  })

  it('says the failure itself, or the status, and a moment only where one was asked for', () => {
    assert.deepEqual(outcomeOf('dns'), { verdict: 'retry', reason: 'dns' })
    assert.deepEqual(outcomeOf('blocked_address'), { verdict: 'failed', reason: 'blocked_address' })
    assert.deepEqual(outcomeOf(204), { verdict: 'delivered', reason: 'http_204' })
    assert.deepEqual(outcomeOf(503), { verdict: 'retry', reason: 'http_503' })
    assert.deepEqual(outcomeOf(503, '7'), { verdict: 'retry', reason: 'http_503', notBefore: NOW + 7_000 })
    for (const status of [200, 301, 404, 410]) assert.equal('notBefore' in outcomeOf(status, '7'), false)
  })

  it('reads Retry-After as seconds and as a date, and ignores anything else (RFC 9110 10.2.3)', () => {
    assert.equal(outcomeOf(503, '120').notBefore, NOW + 120_000)
    assert.equal(outcomeOf(429, 'Wed, 18 Nov 2020 15:06:40 GMT').notBefore, undefined)
    assert.equal(outcomeOf(429, 'Wed, 18 Nov 2099 15:06:40 GMT').notBefore, NOW + DAY)
    const date = 'Wed, 18 Nov 2099 15:06:40 GMT'
    for (const nonsense of [
      ...['-1', '1.5', 'soon', '', '0', '00', '1e9', '2026-11-20', ' 5', '5 ', '5s', 'a5', '1234567890'],
      ...[`x${date}`, `${date}x`, date.replace('Wed', 'Wen'), date.replace('Nov', 'Nev'), date.slice(5)],
      ...[
        date.replace('18', '8'),
        date.replace('2099', '99'),
        date.replace(' GMT', ''),
        date.replace('GMT', 'UTC'),
      ],
      ...[date.replace('15:', '25:'), date.toLowerCase()],
    ]) {
      assert.equal(outcomeOf(503, nonsense).notBefore, undefined, nonsense)
    }
    assert.equal(outcomeOf(404, '120').notBefore, undefined)
  })

  it('takes a Retry-After of a second, of nine digits, and of a day at most', () => {
    assert.equal(outcomeOf(503, '1').notBefore, NOW + 1_000)
    assert.equal(outcomeOf(503, '86399').notBefore, NOW + DAY - 1_000)
    assert.equal(outcomeOf(503, '86400').notBefore, NOW + DAY)
    assert.equal(outcomeOf(503, '86401').notBefore, NOW + DAY)
    assert.equal(outcomeOf(503, '999999999').notBefore, NOW + DAY)
    const soon = toIso(NOW + 5_000)
    const date = `${toDate(NOW + 5_000).toUTCString()}`
    assert.equal(outcomeOf(503, date).notBefore, fromIso(soon))
    assert.equal(outcomeOf(503, toDate(NOW).toUTCString()).notBefore, undefined)
    assert.equal(outcomeOf(503, toDate(NOW + 1_000).toUTCString()).notBefore, NOW + 1_000)
  })
})
