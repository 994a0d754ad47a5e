import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { until, within } from './support/waits.ts'

describe('a wait of a test', () => {
  it('ends in time and says on what it waited and what it saw last', async () => {
    let asked = 0
    const count = () => {
      asked += 1
      return Promise.resolve(asked)
    }
    await assert.rejects(
      until(count, (seen) => seen < 0, { patience: 50 }),
      /waited for: .*seen < 0.*The last answer: \d+/s,
    )
    await assert.rejects(
      within('a call that never comes', new Promise(() => {}), { patience: 50, now: () => [7] }),
      /waited for: a call that never comes .*The last answer: \[7\]/,
    )
    assert.equal(await until(count, (seen) => seen > 0), asked)
    assert.equal(await within('what is there', Promise.resolve('there')), 'there')
  })

  it('has a deadline wherever it is: no test waits in a loop of its own', () => {
    // The simulator waits in virtual time, where every step is counted; a hostile child is ended from outside.
    const files = globSync(['test/**/*.ts', 'src/**/*.test.ts'], {
      exclude: [
        'test/simulator/**',
        'test/fixtures/children/**',
        'test/support/waits.ts',
        'test/waits.test.ts',
      ],
    })
    assert.ok(files.length > 100)
    const endless = files.flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .map((line, index) => ({ line, at: `${file}:${index + 1}` }))
        .filter(({ line }) => /for \(;;\)|while \(true\)|while \(+[^)]*await/.test(line))
        .filter(({ line }) => !/patience|PATIENCE|RESUMED_WITHIN/.test(line))
        .map(({ at }) => at),
    )
    assert.deepEqual(endless, [], 'use until() or within() of test/support/waits.ts')
  })

  it('is no measure of work: what a test bounds is what was computed, which a busy machine changes little', () => {
    // These measure how long others take to answer, and compare that with how long they take otherwise.
    const answers = ['test/abuse/load.test.ts', 'test/abuse/timing.test.ts']
    const timed = globSync(['test/**/*.test.ts', 'src/**/*.test.ts']).filter((file) =>
      /\bperformance\.now\(/.test(readFileSync(file, 'utf8')),
    )
    assert.deepEqual(timed.sort(), answers, 'use computing() of src/core/clock.ts')
  })

  it('comes before a key: nothing is pressed that can not be pressed yet', () => {
    const hasty = globSync('test/**/*.ts')
      .filter((file) => file !== 'test/support/chromium.ts')
      .flatMap((file) =>
        readFileSync(file, 'utf8')
          .split('\n')
          .flatMap((line, index) => (/(?<!keyboard)\.press\(/.test(line) ? [`${file}:${index + 1}`] : [])),
      )
    assert.deepEqual(hasty, [], 'use enter() of test/support/chromium.ts')
  })

  it('of a whole file ends, too: one that is never over is ended from outside', () => {
    const folder = mkdtempSync(join(tmpdir(), 'postern-test-'))
    try {
      const limit = readFileSync(new URL('support/file-limit.ts', import.meta.url), 'utf8')
      assert.match(limit, /const LIMIT_MINUTES = \d+\n/)
      const short = limit.replace(/const LIMIT_MINUTES = \d+\n/, 'const LIMIT_MINUTES = 1 / 60\n')
      writeFileSync(join(folder, 'limit.ts'), short)
      writeFileSync(join(folder, 'endless.test.ts'), 'while (Date.now() > 0) {}\n')
      const { status, output } = spawnSync(
        process.execPath,
        ['--import', join(folder, 'limit.ts'), '--test', join(folder, 'endless.test.ts')],
        { encoding: 'utf8', timeout: 60_000, env: { PATH: process.env.PATH } },
      )
      assert.equal(status, 1, output.join(''))
      assert.match(output.join(''), /endless\.test\.ts is not over after/)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

let open = 0
describe('what a suite sets up', () => {
  after(() => {
    open -= 1
  })
  it('is open during the suite', () => {
    open += 1
  })
})
describe('what an earlier suite has set up', () => {
  it('has ended with that suite', () => assert.equal(open, 0))
})
