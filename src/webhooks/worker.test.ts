import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { simulate } from '../../test/simulator/simulate.ts'
import type { Bug } from '../../test/simulator/store.ts'

/** Seeds that every run of the tests tries. `npm run simulate -- --seeds N` tries more. */
const SEEDS = 2_000

describe('the delivery engine in the simulator', () => {
  it(`keeps every promise under the faults of ${SEEDS} seeds`, async () => {
    let [crashes, duplicates, deliveries] = [0, 0, 0]
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const report = await simulate(seed)
      crashes += report.crashes
      duplicates += report.duplicates
      deliveries += report.deliveries
    }
    assert.ok(
      crashes > SEEDS && duplicates > 0 && deliveries > 20 * SEEDS,
      'the seeds are too tame to prove anything',
    )
  })

  it('repeats a seed exactly', async () => {
    assert.deepEqual(await simulate(7), await simulate(7))
  })

  for (const bug of ['no claim guard', 'acknowledged before the commit', 'no recovery'] satisfies Bug[]) {
    it(`finds the planted bug "${bug}"`, async () => {
      await assert.rejects(async () => {
        for (let seed = 1; seed <= 200; seed += 1) await simulate(seed, bug)
      }, /^SimulationError: seed \d+: /)
    })
  }
})
