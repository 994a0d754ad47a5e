import { spawn } from 'node:child_process'
import { chmodSync, globSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { childrenSeconds } from './support/file-cost.ts'
import { startPostgres } from './support/postgres.ts'
import { makeTemplates } from './support/template.ts'
import { temporaryFolder } from './support/temporary.ts'

/**
 * Runs every test, or the files named on the command line, with one PostgreSQL server for all of them.
 * The exit code is the test runner's, and its summary is the last that is printed. Each test has a limit, and each file
 * (`support/file-limit.ts`): whatever happens, it ends.
 */
const TEST_LIMIT_MS = 10 * 60_000
/** Hundreds of processes start on the same sources: what Node makes of them is kept, which halves the cost of a start. */
const COMPILED = join(import.meta.dirname, '..', 'node_modules', '.cache', 'postern-compiled')
/** The providers of tests want some hundred RSA keys (`support/rsa-keys.ts`), which take 50 ms of a processor each. */
const KEYS = join(import.meta.dirname, '..', 'node_modules', '.cache', 'postern-test-keys')

const named = process.argv.slice(2)
const files =
  named.length > 0
    ? named
    : globSync(['src/**/*.test.ts', 'sdk/src/**/*.test.ts', 'test/**/*.test.{ts,tsx}']).sort()
const hasGroups = process.platform !== 'win32'
console.log(`PostgreSQL starts, then ${files.length} test files run on it and on SQLite.`)
process.env.TMPDIR = temporaryFolder()
const postgres = await startPostgres()
const templates = await makeTemplates(postgres.url)
/** The temporary folder of all test files, so that the run can say what they leave there; every user may write to it, as to the system's. */
const temporary = mkdtempSync(join(process.env.TMPDIR, 'postern-tests-'))
chmodSync(temporary, 0o1777)
mkdirSync(KEYS, { recursive: true })
const child = spawn(
  process.execPath,
  [
    '--import=./test/support/without-hooks.ts',
    '--import=./test/support/file-limit.ts',
    '--import=./test/support/file-cost.ts',
    '--import=./test/support/tsx.ts',
    '--import=./src/known-trees.ts',
    // Most objects of a short process die young: a space for them that is large from the start saves a tenth of the processor time.
    '--min-semi-space-size=16',
    `--test-timeout=${TEST_LIMIT_MS}`,
    'test/support/run-files.ts',
    ...files,
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      POSTERN_TEST_POSTGRES: postgres.url,
      POSTERN_TEST_TEMPLATES: templates.folder,
      POSTERN_TEST_KEYS: KEYS,
      NODE_COMPILE_CACHE: COMPILED,
      NODE_ENV: '',
      TMPDIR: temporary,
    },
    // A group of its own, so that what a file left behind is found when it is over.
    detached: hasGroups,
  },
)
// Told to end, it takes its server with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
const code = await new Promise<number>((resolve) => child.once('exit', (exit) => resolve(exit ?? 1)))
if (hasGroups) endLeftovers(Number(child.pid))
templates.remove()
const before = childrenSeconds()
await postgres.stop()
if (named.length === 0) console.log(`PostgreSQL took ${(childrenSeconds() - before).toFixed(0)} s beside.`)
process.exitCode = code
const remains = readdirSync(temporary).filter((name) => name.startsWith('postern-'))
rmSync(temporary, { recursive: true, force: true })
if (remains.length > 0) {
  console.error(`Test files have left in the temporary folder: ${remains.join(', ')}.`)
  process.exitCode ||= 1
}

/** Ends every process of a group whose first one is gone. */
function endLeftovers(group: number): void {
  try {
    process.kill(-group, 'SIGKILL')
  } catch {
    // There is none: each file has cleaned up.
  }
}
