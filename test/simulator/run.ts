import { parseArgs } from 'node:util'
import { stopwatch } from '#src/core/clock.ts'
import type { Bug } from './bugs.ts'
import { simulate } from './simulate.ts'

/**
 * `npm run simulate -- --seeds 10000 --from 1`, or `--from 4711 --seeds 1` for one that failed. `--first 7` tries that one
 * before the others.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2000' },
    from: { type: 'string', default: '1' },
    first: { type: 'string' },
    bug: { type: 'string' },
  },
})
const [first, count] = [Number(values.from), Number(values.seeds)]
const seeds = Array.from({ length: count }, (_, index) => first + index)
if (values.first !== undefined) seeds.unshift(Number(values.first))
const elapsed = stopwatch()
const total = {
  deliveries: 0,
  sends: 0,
  crashes: 0,
  duplicates: 0,
  resent: 0,
  replayed: 0,
  parked: 0,
  cuts: 0,
  stepped: 0,
}
for (const seed of seeds) {
  const report = await simulate(seed, values.bug as Bug | undefined)
  for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += report[key]
  if (seed % 500 === 0) process.stdout.write(`${seed} seeds, ${Math.round(elapsed() / 1_000)} s\n`)
}
process.stdout.write(
  `${seeds.length} seeds kept every promise: ${JSON.stringify(total)}, ${Math.round(elapsed() / 1_000)} s\n`,
)
