import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { JOB_BUGS } from './simulator/jobs/job-bugs.ts'
import { simulateJobs } from './simulator/jobs/simulate-jobs.ts'
import { nightly } from './support/nightly.ts'

/** Seeds that every run of the tests tries; `npm run simulate:jobs -- --seeds N` tries more. */
const SEEDS = nightly(1_000, 40)

/** In a process of its own: the test runner follows every promise, and a seed makes many thousands. */
function runSeeds(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)(process.execPath, ['test/simulator/run.ts', 'jobs', ...args])
}

let found: Promise<Record<string, string>> | undefined

/** What was found of each planted bug; all are tried by one process. */
function findBugs(): Promise<Record<string, string>> {
  found ??= runSeeds('--bugs').then(({ stdout }) => JSON.parse(/found: (\{.*\})/.exec(stdout)?.[1] ?? '{}'))
  return found
}

describe('jobs in rows in the simulator', () => {
  it(`keep every promise under the faults of ${SEEDS} seeds`, async () => {
    const { stdout } = await runSeeds('--seeds', String(SEEDS))
    const total = JSON.parse(/kept every promise: (\{.*\})/.exec(stdout)?.[1] ?? '{}') as Record<
      string,
      number
    >
    for (const [name, least] of Object.entries({
      jobs: 20 * SEEDS,
      done: 5 * SEEDS,
      crashes: 2 * SEEDS,
      unknown: SEEDS,
      crashed: SEEDS / 5,
      cancelled: SEEDS,
    }))
      assert.ok(Number(total[name]) > least, `too few ${name} to prove anything`)
  })

  it('repeat a seed exactly', async () => {
    for (const seed of [7, 8]) assert.deepEqual(await simulateJobs(seed), await simulateJobs(seed))
  })

  for (const bug of Object.keys(JOB_BUGS)) {
    it(`show the planted bug "${bug}"`, async () => {
      assert.match((await findBugs())[bug] ?? 'not found', /^SimulationError: seed \d+: /)
    })
  }
})
