import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { COSTLY_SCHEMAS } from '../../../test/webhooks/hostile-schemas.ts'
import { cpuStopwatch } from '../../core/clock.ts'
import { costOf, MOST_CODE, MOST_EACH, refuseCostly } from './schema-cost.ts'
import { problemsOf } from './validators.ts'

/** The longest check of 256 KiB, on a slow machine. */
const LONGEST = 1_500

describe('what a schema costs', () => {
  it('is counted once for what there is once, and for each of what there may be many of', () => {
    assert.deepEqual(costOf({}), { once: 1, each: 0, code: 1 })
    const named = costOf({ properties: { a: { enum: [1, 2, 3] }, b: { type: 'string' } } })
    assert.equal(named.each, 0)
    assert.ok(named.once >= 6)
    assert.ok(costOf({ items: { enum: [1, 2, 3] } }).each >= 3)
    // Values are in either position.
    const place = { items: { enum: [1, 2, 3] } }
    assert.equal(costOf({ properties: { a: place, b: place } }).each, costOf(place).each)
    assert.equal(costOf({ allOf: [place, place] }).each, 2 * costOf(place).each)
    assert.equal(costOf({ items: place }).each, costOf(place).each)
  })

  for (const [name, [schema, data]] of Object.entries(COSTLY_SCHEMAS))
    it(`stays below a bound where it is taken, whatever data comes: ${name}`, (test) => {
      const { each, code } = costOf(schema)
      assert.ok(each <= MOST_EACH && code <= MOST_CODE, `${each} steps, ${code} of code`)
      refuseCostly(schema)
      const most = data()
      assert.ok(JSON.stringify(most).length <= 263_000)
      const compiling = cpuStopwatch()
      problemsOf('', schema, {}, 0)
      const [compiled, checking] = [compiling(), cpuStopwatch()]
      problemsOf('', schema, most, 256 * 1024)
      const checked = checking()
      test.diagnostic(
        `${each} steps, ${Math.round(compiled)} ms to compile, ${Math.round(checked)} ms to check`,
      )
      assert.ok(compiled < LONGEST && checked < LONGEST, `${compiled} ms, ${checked} ms`)
    })
})
