import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { readCosts } from './file-cost.ts'
import { groupFiles } from './groups.ts'

/**
 * Runs the test files named on the command line, several processes at a time (`groups.ts`). At the end of a long run it prints which
 * processes took most processor time; `POSTERN_TEST_COSTS` names a file where those figures of all are kept.
 */
/** More than many machines have cores: some process always waits, for a lease or for the disk. */
const AT_ONCE = Number(process.env.POSTERN_TEST_SLOW ?? 0) > 0 ? 2 : 5
const MOST_EXPENSIVE = 10

const files = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'postern-run-'))
const notes = process.env.POSTERN_TEST_COSTS ?? join(folder, 'notes')
process.env.POSTERN_TEST_COSTS = notes
process.once('exit', () => {
  if (files.length > MOST_EXPENSIVE) sayCosts()
  rmSync(folder, { recursive: true, force: true })
})

run({ files: groupFiles(files, folder), concurrency: AT_ONCE })
  .on('test:fail', () => {
    process.exitCode = 1
  })
  .compose(new spec())
  .pipe(process.stdout)

function sayCosts(): void {
  const costs = readCosts(notes)
  const all = costs.reduce((sum, { processorSeconds }) => sum + processorSeconds, 0)
  console.log(`\nProcessor time of the files: ${all.toFixed(0)} s, without PostgreSQL's. The most expensive:`)
  for (const { file, processorSeconds, seconds } of costs.slice(0, MOST_EXPENSIVE))
    console.log(
      `${processorSeconds.toFixed(1).padStart(7)} s in ${seconds.toFixed(1).padStart(6)} s  ${file}`,
    )
}
