import { parseArgs } from 'node:util'
import { stopwatch } from '#src/core/clock.ts'
import type { Bug } from './bugs.ts'
import type { JobBug } from './jobs/job-bugs.ts'
import { simulateJobs } from './jobs/simulate-jobs.ts'
import { measureFleets } from './measure-fleets.ts'
import { simulate } from './simulate.ts'

/**
 * The simulators: of deliveries, or the one that is named.
 *
 * `npm run simulate -- --seeds 10000 --from 1`, or `--from 4711 --seeds 1` for one that failed; `--first 7` tries that one
 * before the others. `npm run simulate:jobs` takes the same, `npm run simulate:fleet` also `--minutes 30`.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string' },
    from: { type: 'string', default: '1' },
    first: { type: 'string' },
    bug: { type: 'string' },
    minutes: { type: 'string', default: '30' },
  },
})
const from = Number(values.from)

/** Tries seeds one after the other, and says what was in all of them together. */
async function tryAll(simulateOne: (seed: number) => Promise<object>): Promise<void> {
  const seeds = Array.from({ length: Number(values.seeds ?? 2_000) }, (_, index) => from + index)
  if (values.first !== undefined) seeds.unshift(Number(values.first))
  const elapsed = stopwatch()
  const seconds = () => Math.round(elapsed() / 1_000)
  const total: Record<string, number> = {}
  for (const seed of seeds) {
    for (const [key, count] of Object.entries(await simulateOne(seed)))
      total[key] = (total[key] ?? 0) + Number(count)
    if (seed % 500 === 0) process.stdout.write(`${seed} seeds, ${seconds()} s\n`)
  }
  process.stdout.write(`${seeds.length} seeds kept every promise: ${JSON.stringify(total)}, ${seconds()} s\n`)
}

const SIMULATORS: Record<string, () => Promise<void>> = {
  deliveries: () => tryAll((seed) => simulate(seed, values.bug as Bug | undefined)),
  jobs: () => tryAll((seed) => simulateJobs(seed, values.bug as JobBug | undefined)),
  fleet: () => measureFleets({ from, seeds: Number(values.seeds ?? 5), minutes: Number(values.minutes) }),
}

const [name = 'deliveries'] = positionals
const run = SIMULATORS[name]
if (run === undefined) throw new Error(`there is no simulator ${name}, but ${Object.keys(SIMULATORS).join()}`)
await run()
