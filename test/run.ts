import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { startPostgres } from './support/postgres.ts'

/**
 * Runs every test, or the files named on the command line, with one PostgreSQL server for all of them.
 * The exit code is the test runner's, and its summary is the last that is printed.
 */
const named = process.argv.slice(2)
const files = named.length > 0 ? named : globSync(['src/**/*.test.ts', 'test/**/*.test.ts']).sort()
console.log(`PostgreSQL starts, then ${files.length} test files run on it and on SQLite.`)
const postgres = await startPostgres()
const child = spawn(
  process.execPath,
  ['--test', '--test-concurrency=2', '--test-reporter=spec', '--test-reporter-destination=stdout', ...files],
  {
    stdio: 'inherit',
    env: { ...process.env, POSTERN_TEST_POSTGRES: postgres.url, NODE_ENV: '' },
  },
)
// Told to end, it takes its server with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
const code = await new Promise<number>((resolve) => child.once('exit', (exit) => resolve(exit ?? 1)))
await postgres.stop()
process.exitCode = code
