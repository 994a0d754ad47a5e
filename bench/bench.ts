import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { systemClock, toIso } from '../src/core/clock.ts'
import { benchAccess, benchStart } from './access.ts'
import { benchPost } from './post.ts'
import { type Row, toTable } from './table.ts'

/**
 * `npm run bench`: every figure is the median of several rounds, beside the raw limit measured in the same round
 * on the same machine. `--write` renews docs/benchmarks.md.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const options = {
  rounds: Number(values.rounds),
  durationMs: Number(values.seconds) * 1_000,
  progress: (line: string) =>
    process.stderr.write(
      `${process.stderr.isTTY ? '\r\x1b[K' : ''}${line}${process.stderr.isTTY ? '' : '\n'}`,
    ),
}
const SUITES: Record<string, (given: typeof options) => Promise<Row[]>> = {
  access: benchAccess,
  start: benchStart,
  post: benchPost,
}

const chosen = Object.entries(SUITES).filter(([name]) => values.only === undefined || values.only === name)
const tables: string[] = []
for (const [name, suite] of chosen) tables.push(`### ${name}\n\n${toTable(await suite(options))}`)
const [cpu] = cpus()
const machine = `${cpus().length} cores (${cpu?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, Node ${process.versions.node}`
const report = `Machine: ${machine}. ${toIso(systemClock.now()).slice(0, 10)}, ${options.rounds} rounds of ${values.seconds} s.\n\n${tables.join('\n\n')}\n`
options.progress('')
console.log(`\n${report}`)
if (values.write) {
  const document = new URL('../docs/benchmarks.md', import.meta.url)
  const [before = '', after = ''] = readFileSync(document, 'utf8').split(
    /<!-- measured -->[\s\S]*<!-- \/measured -->/,
  )
  writeFileSync(document, `${before}<!-- measured -->\n${report}<!-- /measured -->${after}`)
}
