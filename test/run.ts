import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { startPostgres } from './support/postgres.ts'

/**
 * Runs every test, or the files named on the command line, with one PostgreSQL server for all of them.
 * The exit code is the test runner's.
 */
const named = process.argv.slice(2)
const files = named.length > 0 ? named : globSync(['src/**/*.test.ts', 'test/**/*.test.ts']).sort()
console.log(`PostgreSQL starts, then ${files.length} test files run on it and on SQLite.`)
const postgres = await startPostgres()
const reporter = process.stdout.isTTY || named.length > 0 ? 'spec' : 'dot'
const child = spawn(
  process.execPath,
  [
    '--test',
    '--test-concurrency=2',
    `--test-reporter=${reporter}`,
    '--test-reporter-destination=stdout',
    ...files,
  ],
  {
    stdio: 'inherit',
    env: { ...process.env, POSTERN_TEST_POSTGRES: postgres.url, NODE_ENV: '' },
  },
)
const code = await new Promise<number>((resolve) => child.once('exit', (exit) => resolve(exit ?? 1)))
await postgres.stop()
process.exitCode = code
