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

  it('has a deadline wherever it is: no test waits in a loop of its own, or for an event alone', () => {
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
        .filter(({ line }) =>
          /for \(;;\)|while \(true\)|while \(+[^)]*await|await once\((?!server,)[\w.]+, '/.test(line),
        )
        .filter(({ line }) => !/patience|PATIENCE|RESUMED_WITHIN|AbortSignal\.timeout/.test(line))
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
    assert.deepEqual(timed.sort(), answers, 'use cpuStopwatch() of src/core/clock.ts')
  })

  it('moves the clock only while nothing is under way whose deadline goes by it, unless that deadline is what it waits for', () => {
    const meant = [
      // Their attempts are held on purpose, and end by the clock or not at all.
      'test/abuse/mail.test.ts',
      'test/agents/rights.test.ts',
      'test/agents/shares.test.ts',
      'test/backups/storage.test.ts',
      // It takes one step for each failure that it has seen.
      'test/agents/model-failures.test.ts',
      // Their calls are no attempts of a job: one pauses longer after each step, the others step by the pace of a stub or a socket.
      'test/billing/stripe.test.ts',
      'test/http/tables.test.ts',
      'test/webhooks/leases.test.ts',
      'test/webhooks/polls.test.ts',
    ]
    const moving = globSync('test/**/*.ts', { exclude: ['test/support/rest.ts'] }).filter((file) => {
      const text = readFileSync(file, 'utf8')
      return text.includes('.advance(') && pollsOf(text).some(movesClock)
    })
    assert.deepEqual(moving.sort(), meant.sort(), 'use advanceAtRest() of test/support/rest.ts')
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

  it('of a whole file ends, too: one that is never over is ended, with the tests that are under way', () => {
    const { status, said } = runPlanted(
      { LIMIT_MINUTES: '1 / 60', SILENCE_SECONDS: '1' },
      {
        'endless.test.ts': 'while (Date.now() > 0) {}\n',
        'waiting.test.ts': `import { it } from 'node:test'
          setInterval(() => {}, 1_000)
          it('waits', () => new Promise(() => {}))`,
      },
    )
    assert.equal(status, 1, said)
    assert.match(
      said,
      /endless\.test\.ts is not over after .* minutes, computes without a pause and is ended/,
    )
    assert.match(said, /waiting\.test\.ts is not over after .* minutes and is ended\.\s+(Under way|No test)/)
  })

  it('of a process for its own end is short: what its tests leave open is named, with its place', () => {
    const { status, said } = runPlanted(
      { REST_MINUTES: '1 / 60' },
      {
        'left.test.ts': `import { createServer } from 'node:net'
          import { it } from 'node:test'
          it('leaves a server', async () => {
            await new Promise<void>((resolve) => createServer().listen(0, '127.0.0.1', resolve))
          })
          process.once('beforeExit', () => console.error('what the runner keeps for the end'))`,
      },
    )
    assert.equal(status, 1, said)
    assert.match(said, /left\.test\.ts is not over .* minutes after its last test and is ended/)
    assert.match(said, /All of its tests and hooks have ended/)
    assert.match(said, /- a server at .*127\.0\.0\.1.*, opened by .*left\.test\.ts:4/)
    assert.match(said, /1 TCPServerWrap/)
    assert.match(said, /what the runner keeps for the end/)
  })

  it('of a hook has the deadline of a test, and the state of a process names its suite', () => {
    const { status, said } = runPlanted(
      {},
      {
        'hooks.test.ts': `import { after, before, beforeEach, describe, it } from 'node:test'
          import { followProcess } from '${new URL('support/under-way.ts', import.meta.url)}'
          const { describe: state } = followProcess()
          const say = (when: string) => console.error(when + ': ' + state().split('\\n')[0])
          const never = () => new Promise(() => setTimeout(() => {}, 1_000))
          say('loading')
          describe('one', () => {
            after(() => say('after one'))
            it('test', () => say('test of one'))
          })
          describe('two', () => (after(never), it('test', () => {})))
          describe('three', () => (before(never), it('test', () => {})))
          describe('four', () => (beforeEach(never), it('test', () => {})))
          after(() => say('after all'))
          after(never)`,
      },
      '--test-timeout=200',
    )
    assert.equal(status, 1, said)
    for (const when of [
      'loading: No test has begun',
      'test of one: Under way of the suite "one": "test"',
      'after one: No test is under way, but a hook of the suite "one"',
      'after all: All of its tests have ended, but not the hooks',
    ])
      assert.ok(said.includes(when), `${when}\n${said}`)
    for (const late of ['✖ two', '✖ three', '✖ four', '✖ \\S*hooks.test.ts']) assert.match(said, RegExp(late))
    assert.equal(said.match(/'test timed out after 200ms'/g)?.length, 4, said)
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

/** A step of up to 100 ms at each question is no faster than a deadline of seconds allows. */
const movesClock = (code: string) => /\.advance\((?!1\)|100\))/.test(code)

/** The questions of all calls of `until` in a file, each with the functions of the file that it calls. */
function pollsOf(text: string): string[] {
  return [...text.matchAll(/\buntil\(/g)].map(({ index }) => {
    const begin = index + 'until('.length
    let [depth, end] = [0, begin]
    for (; end < text.length && (depth > 0 || !',)'.includes(text.charAt(end))); end += 1)
      depth += '([{'.includes(text.charAt(end)) ? 1 : ')]}'.includes(text.charAt(end)) ? -1 : 0
    const asked = text.slice(begin, end)
    const called = new Set(asked.match(/^\w+$|\w+(?=\()/g))
    return [asked, ...[...called].map((name) => bodyOf(text, name))].join('\n')
  })
}

/** The lines of a function of a file, up to the next line that is indented as little. */
function bodyOf(text: string, name: string): string {
  const [head, indent] = RegExp(`^( *)(?:const|(?:async )?function) ${name}\\b.*`, 'm').exec(text) ?? ['', '']
  if (head === '') return ''
  const rest = text.slice(text.indexOf(head) + head.length)
  return head + rest.slice(0, rest.search(RegExp(`^ {0,${indent.length}}\\S`, 'm')))
}

/**
 * Runs test files in a folder of their own by the runner of the suite.
 * @param limits constants of `file-limit.ts`, by name, and what stands in their place
 */
function runPlanted(
  limits: Record<string, string>,
  files: Record<string, string>,
  ...options: string[]
): { status: number | null; said: string } {
  const folder = mkdtempSync(join(tmpdir(), 'postern-test-'))
  try {
    const support = new URL('support/', import.meta.url)
    let limit = readFileSync(new URL('file-limit.ts', support), 'utf8')
    limit = limit.replace("'./under-way.ts'", `'${new URL('under-way.ts', support)}'`)
    for (const [name, value] of Object.entries(limits)) {
      const line = RegExp(`^const ${name} = \\d+$`, 'm')
      assert.match(limit, line)
      limit = limit.replace(line, `const ${name} = ${value}`)
    }
    writeFileSync(join(folder, 'limit.ts'), limit)
    const paths = Object.entries(files).map(([name, text]) => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    })
    const { status, output } = spawnSync(
      process.execPath,
      ['--import', join(folder, 'limit.ts'), '--test', ...options, ...paths],
      { encoding: 'utf8', timeout: 60_000, env: { PATH: process.env.PATH } },
    )
    return { status, said: output.join('') }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
