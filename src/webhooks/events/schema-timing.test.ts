import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { COSTLY_SCHEMAS } from '../../../test/webhooks/hostile-schemas.ts'
import { cpuStopwatch } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { costOf } from './schema-cost.ts'
import { refuseSlow, sampleOf, VALUES } from './schema-timing.ts'

/** The number of values in data. */
function count(data: unknown): number {
  if (typeof data !== 'object' || data === null) return 1
  return 1 + Object.values(data).reduce((sum: number, one) => sum + count(one), 0)
}

describe('trying a schema out', () => {
  for (const [name, [schema]] of Object.entries(COSTLY_SCHEMAS))
    it(`is done with many values where there may be many: ${name}`, () => {
      const hasMany = /"(items|additionalProperties)"/.test(JSON.stringify(schema))
      const values = count(sampleOf(schema, { values: VALUES }))
      assert.ok(costOf(schema).each > 0)
      assert.ok(hasMany ? values > VALUES && values < VALUES + 1_000 : values < 1_000, `${values}`)
    })

  it('refuses what is slow each time, and nothing that is slow once', () => {
    let calls = 0
    const busy = (times: number) => () => {
      calls += 1
      const taken = cpuStopwatch()
      while (calls <= times && taken() < 400);
    }
    assert.throws(
      () => refuseSlow({}, busy(2)),
      (error) => error instanceof ApiError && error.details.reason === 'too_costly',
    )
    calls = 0
    refuseSlow({}, busy(1))
    assert.equal(calls, 2)
  })
})
