import { parseArgs } from 'node:util'
import { SECOND } from '#src/core/clock.ts'
import { createProgress } from './progress.ts'
import { machine, type Section, today, toText, writeReport } from './report.ts'
import { ENGINE_NAMES, type EngineName, endStores } from './store.ts'
import { SUITES } from './suites.ts'
import { toTable } from './table.ts'

/**
 * `npm run bench`: every figure beside the raw limit measured in the same run on the same machine. Rates are the
 * median of several rounds, loads on schedule run once. `--only post,latency` and `--engine postgres` choose;
 * `--beside ../other` measures another checkout in turns with this one, where a part can. `--write` renews what was measured in docs/benchmarks.md.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '2' },
    steady: { type: 'string', default: '10' },
    only: { type: 'string' },
    engine: { type: 'string' },
    beside: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const ENGINE_TITLES: Record<EngineName, string> = { sqlite: 'SQLite', postgres: 'PostgreSQL' }
const titleOf = (name: string, engine: EngineName) => `${name}, ${ENGINE_TITLES[engine]}`

const names = choice('--only', values.only, [...new Set(SUITES.map(({ name }) => name))])
const engines = choice('--engine', values.engine, ENGINE_NAMES)
const sizes = {
  rounds: Number(values.rounds),
  durationMs: Number(values.seconds) * SECOND,
  steadyMs: Number(values.steady) * SECOND,
}
const pieces = SUITES.flatMap((suite) => suite.engines.map((engine) => ({ suite, engine })))
const chosen = pieces.filter(({ suite, engine }) => names.includes(suite.name) && engines.includes(engine))

// A signal ends everything that the bench has started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

const progress = createProgress(chosen.reduce((sum, { suite }) => sum + suite.seconds(sizes), 0))
const sections: Section[] = []
for (const { suite, engine } of chosen) {
  const title = titleOf(suite.name, engine)
  progress.begin(title, suite.seconds(sizes))
  const run = suite.run({ ...sizes, engine, beside: values.beside, progress: progress.say })
  const rows = await run.catch(endInVain)
  const size = `${today()}; ${sizes.rounds} ${sizes.rounds === 1 ? 'round' : 'rounds'} of ${values.seconds} s, loads on schedule ${values.steady} s.`
  sections.push({ title, text: `${size}\n\n${toTable(rows)}` })
}
progress.end()
await endStores()
console.log(`\n${machine()}\n\n${toText(sections)}`)
if (values.write) {
  writeReport(
    sections,
    pieces.map(({ suite, engine }) => titleOf(suite.name, engine)),
  )
}
// Modules shared with the tests load the test runner, which would report that no test was run.
process.exit()

/** Ends what the bench has started. The test runner would end the process by the error itself, without what is done at its exit. */
async function endInVain(error: unknown): Promise<never> {
  console.error(error)
  await endStores()
  process.exit(1)
}

/** The values of an option that lists some of `all`, separated by commas; `all` without the option. */
function choice<Name extends string>(option: string, text: string | undefined, all: Name[]): Name[] {
  if (text === undefined) return all
  const asked = text.split(',')
  const unknown = asked.filter((name) => !(all as string[]).includes(name))
  if (unknown.length > 0) throw new Error(`${option} takes ${all.join(', ')}; not ${unknown.join(', ')}`)
  return all.filter((name) => asked.includes(name))
}
