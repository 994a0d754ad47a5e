import { parseArgs } from 'node:util'
import { stopwatch } from '#src/core/clock.ts'
import { BUGS, type Bug } from './bugs.ts'
import { JOB_BUGS, type JobBug } from './jobs/job-bugs.ts'
import { simulateJobs } from './jobs/simulate-jobs.ts'
import { measureFleets } from './measure-fleets.ts'
import { simulate } from './simulate.ts'

/**
 * The simulators: of deliveries, or the one that is named.
 *
 * `npm run simulate -- --seeds 10000 --from 1`, or `--from 4711 --seeds 1` for one that failed; `--first 7` tries that one
 * before the others. `--bugs` plants one bug after the other and says what was found of each. `npm run simulate:jobs` takes the
 * same, `npm run simulate:fleet` also `--minutes 30`.
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

/** Tries seeds with each bug until one shows it, the one that is known to first. */
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
