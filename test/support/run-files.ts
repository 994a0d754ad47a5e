import { run } from 'node:test'
import { spec } from 'node:test/reporters'

/** Runs the test files named on the command line, two at a time and in their order; the runner's own command line sorts them. */
run({ files: process.argv.slice(2), concurrency: 2 })
  .on('test:fail', () => {
    process.exitCode = 1
  })
  .compose(new spec())
  .pipe(process.stdout)
