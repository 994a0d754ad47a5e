import assert from 'node:assert/strict'
import { it } from 'node:test'
import { formatMoney } from './money.ts'

it('writes a sum of the smallest unit as people write it, by the digits of its currency', () => {
  for (const [amount, currency, written] of [
    [500, 'usd', '$5.00'],
    [1, 'usd', '$0.01'],
    [0, 'eur', '€0.00'],
    [123_456_789, 'eur', '€1,234,567.89'],
    [500, 'jpy', '¥500'],
    [5_000, 'kwd', 'KWD\u00a05.000'],
    [500, 'isk', 'ISK\u00a05.00'],
  ] as const)
    assert.equal(formatMoney({ amount, currency }), written)
})
