import assert from 'node:assert/strict'
import { it } from 'node:test'
import { roundNumber } from './round-number.ts'

it('a number of a spreadsheet loses its rounding noise, and nothing else', () => {
  for (const [number, rounded] of [
    [0.1 + 0.2, 0.3],
    [0.07 * 100, 7],
    [-1.1 * 3, -3.3],
    [123456789012345, 123456789012345],
    [1.5e300, 1.5e300],
  ] as const)
    assert.equal(roundNumber(number), rounded)
})
