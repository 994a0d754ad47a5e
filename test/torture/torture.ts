import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { SECOND, stopwatch } from '#src/core/clock.ts'
import type { Scenario } from './scenario.ts'
import { SCENARIOS } from './scenarios.ts'

/**
 * `npm run torture -- --kills 50 --rate 600 --seed 1 --only kill-sqlite`: real processes, real stores, real time.
 * Ends with 1 when a promise was broken.
 */
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    outages: { type: 'string', default: '5' },
    rate: { type: 'string', default: '600' },
    seed: { type: 'string', default: String(randomInt(1, 1_000_000)) },
    only: { type: 'string', multiple: true },
  },
})
// A signal ends the processes of the run as well: they are killed when this one exits.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const say = (line: string) => void process.stdout.write(`${line}\n`)
const table: Record<string, Scenario> = SCENARIOS
const unknown = (values.only ?? []).filter((name) => table[name] === undefined)
if (unknown.length > 0) {
  say(`There is no ${unknown.join(', ')}. There are:`)
  for (const [name, { about }] of Object.entries(table)) say(`  ${name.padEnd(16)} ${about}`)
  process.exitCode = 1
}

const seed = Number(values.seed)
let isBroken = false
for (const name of unknown.length > 0 ? [] : (values.only ?? Object.keys(table))) {
  say(`\n${name}: ${table[name]?.about} Seed ${seed}.`)
  const elapsed = stopwatch()
  const found = await table[name]?.run({
    seed,
    rate: Number(values.rate),
    kills: Number(values.kills),
    outages: Number(values.outages),
    longestLife: 2 * SECOND,
    mostRefusals: 2,
    say: (line) => say(`  ${line}`),
  })
  if (found === undefined) continue
  if ('skipped' in found) {
    say(`  skipped: ${found.skipped}`)
    continue
  }
  for (const [figure, value] of Object.entries(found.figures)) say(`  ${figure.padEnd(50)} ${value}`)
  say(`  ${'time'.padEnd(50)} ${Math.round(elapsed() / SECOND)} s`)
  for (const failure of found.failures) say(`  BROKEN: ${failure}`)
  isBroken ||= found.failures.length > 0
}
if (unknown.length === 0)
  say(isBroken ? `\nA promise was broken. Seed ${seed}.` : `\nEvery promise was kept. Seed ${seed}.`)
if (isBroken) process.exitCode = 1
