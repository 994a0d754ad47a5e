import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { BUGS } from './simulator/bugs.ts'
import { nightly } from './support/nightly.ts'

/**
 * Seeds that every run of the tests tries, so many in one test: each has time enough on a busy machine.
 * `npm run simulate -- --seeds N` tries more.
 */
const PART = nightly(100, 10)
const SEEDS = nightly(10 * PART, PART)

/** In a process of its own: the test runner follows every promise, and a seed makes a hundred thousand. */
function runSeeds(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)(process.execPath, ['test/simulator/run.ts', ...args])
}

let found: Promise<Record<string, string>> | undefined

/** What was found of each planted bug; all are tried by one process. */
function findBugs(): Promise<Record<string, string>> {
  found ??= runSeeds('--bugs').then(({ stdout }) => JSON.parse(/found: (\{.*\})/.exec(stdout)?.[1] ?? '{}'))
  return found
}

describe('the delivery engine in the simulator', () => {
  for (let from = 1; from <= SEEDS; from += PART) {
    it(`keeps every promise under the faults of the ${PART} seeds from ${from} on`, async () => {
      const { stdout } = await runSeeds('--from', String(from), '--seeds', String(PART))
      const total = JSON.parse(/kept every promise: (\{.*\})/.exec(stdout)?.[1] ?? '{}') as Record<
        string,
        number
      >
      assert.ok(
        Number(total.crashes) > PART && Number(total.duplicates) > 0,
        'the seeds are too tame to prove anything',
      )
      for (const [name, least] of Object.entries({
        deliveries: 20 * PART,
        resent: PART,
        replayed: PART / 4,
        parked: PART,
        cuts: PART / 2,
        stepped: 5 * PART,
      }))
        assert.ok(Number(total[name]) > least, `too few ${name} to prove anything`)
    })
  }

  it('repeats seeds exactly', async () => {
    const report = async () => {
      const { stdout } = await runSeeds('--from', '7', '--seeds', nightly('3', '1'))
      return /kept every promise: \{.*\}/.exec(stdout)?.[0]
    }
    const [once, again] = await Promise.all([report(), report()])
    assert.ok(once)
    assert.equal(again, once)
  })

  // What the simulator finds changes with the simulator alone.
  for (const bug of nightly(Object.keys(BUGS), [])) {
    it(`finds the planted bug "${bug}"`, async () => {
      assert.match((await findBugs())[bug] ?? 'not found', /^SimulationError: seed \d+: /)
    })
  }
})
