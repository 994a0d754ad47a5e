import assert from 'node:assert/strict'
import { it } from 'node:test'
import { groupDigits } from './group-digits.ts'

it('groups the digits of whole numbers as English does', () => {
  for (const whole of [0, 7, 999, 1_000, 12_345, 100_000, 9_876_543, -1, -999, -1_000, -100_000, 2 ** 53 - 1])
    assert.equal(groupDigits(whole), whole.toLocaleString('en'))
})
