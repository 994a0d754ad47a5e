import { parseArgs } from 'node:util'
import { stopwatch } from '#src/core/clock.ts'
import type { JobBug } from './job-bugs.ts'
import { simulateJobs } from './simulate-jobs.ts'

/** `npm run simulate:jobs -- --seeds 10000 --from 1`; `--first 7` tries that one before the others. */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2000' },
    from: { type: 'string', default: '1' },
    first: { type: 'string' },
    bug: { type: 'string' },
  },
})
const seeds = Array.from({ length: Number(values.seeds) }, (_, index) => Number(values.from) + index)
if (values.first !== undefined) seeds.unshift(Number(values.first))
const elapsed = stopwatch()
const total = { jobs: 0, done: 0, crashes: 0, crashed: 0, unknown: 0, cancelled: 0, again: 0 }
for (const seed of seeds) {
  const report = await simulateJobs(seed, values.bug as JobBug | undefined)
  for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += report[key]
}
process.stdout.write(
  `${seeds.length} seeds kept every promise: ${JSON.stringify(total)}, ${Math.round(elapsed() / 1_000)} s\n`,
)
