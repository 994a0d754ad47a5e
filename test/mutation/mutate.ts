import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { LEAST_KILLED, PARTS, type Part } from './parts.ts'

/**
 * Tests the tests: a public mutation tester changes the pure parts, one small thing at a time, and their tests must notice.
 * `npm run mutate` tries all parts, `npm run mutate -- backoff outcome` those that are named. npm fetches the tester when it is first
 * used; no user and no test needs it.
 */
const TESTER = '@stryker-mutator/core@10.1.1'
/** Processor time of the tests of a pure part, which need half a second. A limit of processor time does not mind a busy machine. */
const PURE_LIMIT_SECONDS = 5
/** How long one test of a pure part may wait for what never comes. */
const PURE_WAIT_MS = 20_000
/** How long all tests of a part may take with a change. */
const LIMIT_MS = 120_000

interface Change {
  status: 'Killed' | 'Survived' | 'Timeout' | 'NoCoverage' | 'CompileError' | 'RuntimeError' | 'Ignored'
  mutatorName: string
  replacement?: string
  location: { start: { line: number } }
}

interface Verdict {
  killed: number
  all: number
  survivors: string[]
}

const named = process.argv.slice(2)
const unknown = named.filter((name) => PARTS.every((part) => part.name !== name))
if (unknown.length > 0) {
  console.error(`No such part: ${unknown.join(', ')}. There are: ${PARTS.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}
const chosen = PARTS.filter(({ name }) => named.length === 0 || named.includes(name))
let areNoticed = true
for (const part of chosen) {
  const { killed, all, survivors } = mutate(part)
  const score = (100 * killed) / all
  areNoticed &&= score >= LEAST_KILLED
  console.log(`${part.name}: ${killed} of ${all} changes noticed (${score.toFixed(1)} %)`)
  for (const survivor of survivors) console.log(`  not noticed: ${survivor}`)
}
if (!areNoticed) console.error(`\nAt least ${LEAST_KILLED} % of the changes to each part must be noticed.`)
process.exitCode = areNoticed ? 0 : 1

/** @throws Error when the tester could not do its work */
function mutate(part: Part): Verdict {
  const folder = mkdtempSync(join(tmpdir(), 'postern-mutate-'))
  try {
    const report = join(folder, 'report.json')
    const settings = join(folder, 'settings.json')
    writeFileSync(settings, JSON.stringify(settingsOf(part, folder, report)))
    const { status } = spawnSync('npx', ['--yes', `--package=${TESTER}`, '-c', `stryker run ${settings}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, POSTERN_TEST_ENGINES: 'sqlite', NODE_COMPILE_CACHE: join(folder, 'compiled') },
    })
    if (!existsSync(report)) throw new Error(`${part.name}: the mutation tester ended with ${status}`)
    return judge(report)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function settingsOf({ files, tests }: Part, folder: string, report: string): object {
  const isPure = tests.every((test) => test.startsWith('src/'))
  const limits = isPure ? `ulimit -t ${PURE_LIMIT_SECONDS} && ` : ''
  const options = isPure
    ? `--test-reporter=./test/mutation/first-failure.ts --test-timeout=${PURE_WAIT_MS} `
    : ''
  return {
    testRunner: 'command',
    commandRunner: {
      command: `${limits}node --test --test-isolation=none ${options}${tests.join(' ')}`,
    },
    mutate: files,
    reporters: ['json'],
    jsonReporter: { fileName: report },
    // Half of the machine where a limit is one of time: a change that only makes a test slow must not pass for one that was noticed.
    concurrency: isPure ? availableParallelism() : Math.max(1, Math.floor(availableParallelism() / 2)),
    timeoutMS: LIMIT_MS,
    tempDirName: join(folder, 'copies'),
    ignorePatterns: ['/bench', '/tour', '/data'],
    // Types are stripped, not compiled: there is nothing to rewrite.
    tsconfigFile: 'none',
    plugins: [],
    logLevel: 'error',
    warnings: false,
  }
}

function judge(report: string): Verdict {
  const { files } = JSON.parse(readFileSync(report, 'utf8')) as {
    files: Record<string, { mutants: Change[] }>
  }
  const verdict: Verdict = { killed: 0, all: 0, survivors: [] }
  for (const [file, { mutants }] of Object.entries(files)) {
    for (const { status, mutatorName, replacement = '', location } of mutants) {
      if (status === 'Ignored' || status === 'CompileError') continue
      verdict.all += 1
      if (status === 'Killed' || status === 'Timeout' || status === 'RuntimeError') verdict.killed += 1
      else
        verdict.survivors.push(
          `${file}:${location.start.line} ${mutatorName} → ${replacement.replace(/\s+/g, ' ').slice(0, 80)}`,
        )
    }
  }
  return verdict
}
