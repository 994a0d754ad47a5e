import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { simulate } from '../../test/simulator/simulate.ts'
import type { Bug } from '../../test/simulator/store.ts'

/** Seeds that every run of the tests tries. `npm run simulate -- --seeds N` tries more. */
const SEEDS = 2_000

/** In a process of its own: the test runner follows every promise, and a seed makes a hundred thousand. */
function runSeeds(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)(process.execPath, ['test/simulator/run.ts', ...args])
}

describe('the delivery engine in the simulator', () => {
  it(`keeps every promise under the faults of ${SEEDS} seeds`, async () => {
    const { stdout } = await runSeeds('--seeds', String(SEEDS))
    const total = JSON.parse(/kept every promise: (\{.*\})/.exec(stdout)?.[1] ?? '{}') as Record<
      string,
      number
    >
    assert.ok(
      Number(total.crashes) > SEEDS && Number(total.duplicates) > 0,
      'the seeds are too tame to prove anything',
    )
    assert.ok(Number(total.deliveries) > 20 * SEEDS, 'the seeds are too tame to prove anything')
  })

  it('repeats a seed exactly', async () => {
    assert.deepEqual(await simulate(7), await simulate(7))
  })

  for (const bug of ['no claim guard', 'acknowledged before the commit', 'no recovery'] satisfies Bug[]) {
    it(`finds the planted bug "${bug}"`, async () => {
      await assert.rejects(runSeeds('--seeds', '200', '--bug', bug), /SimulationError: seed \d+: /)
    })
  }
})
