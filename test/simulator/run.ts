import { parseArgs } from 'node:util'
import { stopwatch } from '#src/core/clock.ts'
import { BUGS, type Bug } from './bugs.ts'
import { JOB_BUGS, type JobBug } from './jobs/job-bugs.ts'
import { simulateJobs } from './jobs/simulate-jobs.ts'
import { measureFleets } from './measure-fleets.ts'
import { simulate } from './simulate.ts'

/**
 * Runs a simulator: of deliveries, unless another is named.
 *
 * `npm run simulate -- --seeds 10000 --from 1`, or `--from 4711 --seeds 1` for a failed seed; `--first 7` tries that seed
 * before the others. `--bugs` plants each bug in turn and reports what was found. `npm run simulate:jobs` takes the
 * same options, `npm run simulate:fleet` also `--minutes 30`.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string' },
    from: { type: 'string', default: '1' },
    first: { type: 'string' },
    bug: { type: 'string' },
    bugs: { type: 'boolean' },
    minutes: { type: 'string', default: '30' },
  },
})
const from = Number(values.from)
const [FIRST_FOR_A_BUG, SEEDS_FOR_A_BUG] = [301, 500]

/** Runs seeds one after the other and prints the sums of their counts. */
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

/** Runs seeds with each planted bug until one fails, the known seed first. */
async function findAll<Planted extends string>(
  bugs: object,
  simulateOne: (seed: number, bug?: Planted) => Promise<object>,
): Promise<void> {
  const found: Record<string, string> = {}
  for (const [bug, first] of Object.entries(bugs) as [Planted, number][]) {
    const seeds = [first, ...Array.from({ length: SEEDS_FOR_A_BUG }, (_, index) => FIRST_FOR_A_BUG + index)]
    for (const seed of seeds)
      if (found[bug] === undefined)
        await simulateOne(seed, bug).catch((error) => (found[bug] = String(error)))
  }
  process.stdout.write(`found: ${JSON.stringify(found)}\n`)
}

const SIMULATORS: Record<string, () => Promise<void>> = {
  deliveries: () =>
    values.bugs ? findAll(BUGS, simulate) : tryAll((seed) => simulate(seed, values.bug as Bug | undefined)),
  jobs: () =>
    values.bugs
      ? findAll(JOB_BUGS, simulateJobs)
      : tryAll((seed) => simulateJobs(seed, values.bug as JobBug | undefined)),
  fleet: () => measureFleets({ from, seeds: Number(values.seeds ?? 5), minutes: Number(values.minutes) }),
}

const [name = 'deliveries'] = positionals
const run = SIMULATORS[name]
if (run === undefined) throw new Error(`there is no simulator ${name}, but ${Object.keys(SIMULATORS).join()}`)
await run()
