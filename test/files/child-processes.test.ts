import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { availableParallelism, constants, getPriority, setPriority } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { SECOND } from '#src/core/clock.ts'
import { createReaders, type Readers } from '#src/files/readers/read-text.ts'
import { type Child, type ChildExit, startChild } from '#src/processes/child.ts'
import { dieWithParent } from '#src/processes/die-with-parent.ts'
import { canSetIdlePriority } from '#src/processes/idle-priority.ts'
import { createPool } from '#src/processes/pool.ts'
import { commandOf, NICENESS, type Program } from '#src/processes/program.ts'
import { bundleProgram } from '#src/processes/program-bundle.ts'
import { IS_NIGHTLY } from '../support/nightly.ts'
import { read, sourceOf, verdictOf } from '../support/reading.ts'
import { until, within } from '../support/waits.ts'

const FIXTURES = join(import.meta.dirname, '../fixtures/children')
const isLinux = process.platform === 'linux'
const canSetIdle = await canSetIdlePriority()
const hasLimits = commandOf(planted())[0] === '/bin/sh'

/** A reader that does what a file's name says. */
function planted(limits: Partial<Program> = {}): Program {
  return {
    folder: FIXTURES,
    file: 'hostile-child.ts',
    readable: [],
    heapMb: 64,
    residentMb: 384,
    addressMb: 4_096,
    processorSeconds: 60,
    ...limits,
  }
}

/** Of a process that has ended there is none. */
function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** Positions behind the name in `/proc/<pid>/stat`: the nice value and the policy; then two policies. */
const [NICE, POLICY] = [16, 38]
const [NORMAL, IDLE] = [0, 5]
/** Says on which processors a process may run. */
const TASKSET = '/usr/bin/taskset'

function ofThreads(pid: number, place: number): number[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'latin1')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[place])
  })
}

const start = (program: Program) => startChild(program, bundleProgram(program))

describe('a process that reads a file', () => {
  const secret = 'of the server'
  before(() => {
    process.env.POSTERN_PLANTED = secret
  })
  after(() => {
    delete process.env.POSTERN_PLANTED
  })

  /** Has a planted reader do something. */
  async function does(
    name: string,
    limits: Partial<Program> = {},
    until?: (child: Child) => void,
  ): Promise<ChildExit> {
    const child = start(planted(limits))
    child.input.end(`${JSON.stringify({ name })}\n`)
    until?.(child)
    return within(`a process to end that does ${name}`, child.ended)
  }

  it('reaches no file, network, environment, process or database, and makes no code of texts', async () => {
    const child = start(planted())
    child.input.end(`${JSON.stringify({ name: 'what-it-may', secret: import.meta.filename })}\n`)
    const said: unknown[] = []
    for await (const message of child.messages({ lineBytes: 65_536, bytes: 65_536 })) said.push(message)
    const denied = 'ERR_ACCESS_DENIED'
    assert.deepEqual(said, [
      {
        environment: [],
        arguments: [],
        file: denied,
        folder: denied,
        written: denied,
        network: denied,
        code: 'EvalError',
        parent: 'TypeError',
        modules: [],
      },
    ])
    assert.equal(existsSync('/tmp/postern-planted'), false)
    assert.equal((await child.ended).cause, 'exit')
  })

  it('is denied by Node what its own beginning denies it as well', () => {
    const command = commandOf(planted())
    for (const flag of ['--permission', '--no-addons', '--no-experimental-sqlite'])
      assert.ok(command.includes(flag))
    assert.ok(!command.some((flag) => flag.startsWith('--allow-') && !flag.startsWith('--allow-fs-read=')))
  })

  it('comes behind whoever waits for an answer, with all of its threads', {
    skip: !hasLimits && 'nothing tells it here',
  }, async () => {
    const children = Array.from({ length: 4 }, () => start(planted()))
    for (const { input } of children) input.end('{ "name": "sleep" }\n')
    for (const { pid, kill, ended } of children) {
      const [first, ...others] = await until(
        () => ofThreads(Number(pid), NICE),
        ({ length }) => length > 4 && commandLine(Number(pid)).startsWith(process.execPath),
        { what: 'a process to have its threads' },
      )
      assert.equal(first, Math.min(19, getPriority() + NICENESS))
      assert.deepEqual(new Set(others), new Set([first]))
      kill('done')
      await ended
    }
  })

  it('that takes long runs when nobody else wants to, with all of its threads', {
    skip: !canSetIdle && 'nothing here can do that',
  }, async () => {
    const child = start(planted())
    child.input.end('{ "name": "sleep" }\n')
    child.setTimeLimit(60 * SECOND)
    const pid = Number(child.pid)
    const policies = () => ofThreads(pid, POLICY)
    assert.deepEqual(new Set(policies()), new Set([NORMAL]))
    const all = await until(policies, (them) => them.every((one) => one === IDLE), {
      what: 'a process to come last of all',
    })
    assert.ok(all.length > 4, String(all.length))
    child.kill('done')
    await child.ended
  })

  it('that waits behind all others for five seconds is put back among them, with all of its threads', {
    // It keeps a processor busy for seven seconds. By day src/processes/idle-priority.test.ts holds when a process is put back.
    skip: IS_NIGHTLY ? !(canSetIdle && existsSync(TASKSET)) && 'nothing here can do that' : 'by night',
  }, async () => {
    const other = spawn(
      TASKSET,
      ['-c', '0', process.execPath, '--eval', 'for (let turns = 0; ; turns += 1);'],
      { stdio: 'ignore' },
    )
    const child = start(planted())
    try {
      child.input.end('{ "name": "loop" }\n')
      const pid = Number(child.pid)
      spawnSync(TASKSET, ['-a', '-c', '-p', '0', String(pid)], { stdio: 'ignore' })
      child.setTimeLimit(60 * SECOND)
      const policies = () => ofThreads(pid, POLICY)
      for (const policy of [IDLE, NORMAL])
        await until(policies, (them) => them.every((one) => one === policy), {
          what: `a process with the policy ${policy}`,
          patience: 60 * SECOND,
        })
    } finally {
      other.kill('SIGKILL')
      child.kill('done')
      await child.ended
    }
  })

  it('that comes last of all ends soon after it is killed, though another never stops', {
    skip: !(canSetIdle && existsSync(TASKSET) && process.getuid?.() === 0) && 'nothing here can do that',
  }, async () => {
    const [child, other] = [
      start(planted()),
      spawn('/bin/sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' }),
    ]
    try {
      child.input.end('{ "name": "sleep" }\n')
      child.setTimeLimit(60 * SECOND)
      await until(
        () => ofThreads(Number(child.pid), POLICY),
        (them) => them.length > 4 && them.every((one) => one === IDLE),
        { what: 'a process to come last of all' },
      )
      for (const { pid } of [child, other])
        spawnSync(TASKSET, ['-a', '-c', '-p', '0', String(pid)], { stdio: 'ignore' })
      // The other process has 30,000 times the weight of a process at idle priority, and 265 times the weight
      // of a reader at its normal niceness.
      setPriority(Number(other.pid), constants.priority.PRIORITY_HIGHEST)
      child.kill('done')
      await within('a killed process to end beside one that never stops', child.ended, {
        patience: 30 * SECOND,
      })
    } finally {
      other.kill('SIGKILL')
      await child.ended
    }
  })

  it('is ended when its heap is full', async () => {
    assert.equal((await does('heap')).cause, 'memory')
  })

  it('is ended when it holds too much besides', { skip: !isLinux && 'nothing tells it here' }, async () => {
    assert.equal((await does('buffers')).cause, 'memory')
  })

  it('is ended when it asks for too many addresses', {
    skip: !hasLimits && 'nothing limits it here',
  }, async () => {
    const { cause, stderr } = await does('buffers', { residentMb: 16_384, addressMb: 2_048 })
    assert.equal(cause, 'memory', stderr)
  })

  it('is ended when it takes too long', async () => {
    assert.equal((await does('sleep', {}, (child) => child.setTimeLimit(300))).cause, 'wall')
  })

  it('is ended by the system when it takes too much of the processor', {
    skip: !hasLimits && 'nothing limits it here',
  }, async () => {
    assert.equal((await does('loop', { processorSeconds: 1 })).cause, 'processor')
  })

  it('does not outlive whoever started it, however that ended', {
    skip: dieWithParent().length === 0 && 'nothing here tells a process of the end of another',
  }, async () => {
    const code = `import { startChild } from '#src/processes/child.ts'
      import { bundleProgram } from '#src/processes/program-bundle.ts'
      const program = ${JSON.stringify(planted())}
      const child = startChild(program, bundleProgram(program))
      child.input.end('{ "name": "loop" }\\n')
      console.log(child.pid)`
    const parent = spawn(process.execPath, ['--input-type=module', '--eval', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [said] = await within('the number of a process', once(parent.stdout, 'data'))
    const pid = Number(String(said))
    await until(
      () => commandLine(pid),
      (line) => line.startsWith(process.execPath),
      { what: 'a process at work' },
    )
    parent.kill('SIGKILL')
    await until(
      () => commandLine(pid),
      (line) => line === '',
      {
        what: 'a process to end whose parent was killed',
        patience: 20 * SECOND,
      },
    )
  })

  it('waits for the file that is on its way, and there is one however many are', {
    skip: !isLinux && 'nothing tells it here',
  }, async () => {
    const mark = `/on-its-way-${process.pid}`
    const pool = createPool(planted({ readable: [mark] }))
    const started = () =>
      readdirSync('/proc').filter((name) => /^\d+$/.test(name) && commandLine(Number(name)).includes(mark))
    try {
      for (let times = 0; times < 3; times += 1) pool.prestart()
      const [pid] = await until(started, ({ length }) => length > 0, { what: 'a process to start' })
      // Its own line is empty while it changes from the one program to the other.
      assert.deepEqual(
        started().filter((one) => one !== pid),
        [],
      )
      const { signal } = new AbortController()
      assert.equal(await pool.use('org_a', signal, async (child) => String(child.pid)), pid)
    } finally {
      await pool.close()
    }
    assert.deepEqual(started(), [])
  })

  it('loads what reads a kind when a file of it is there, and that it cannot is no fault of the file', async () => {
    const file = fileURLToPath(import.meta.resolve('#src/files/readers/child/child.ts'))
    const program = planted({ folder: dirname(file), file: basename(file) })
    const readers = createReaders({ program })
    try {
      const text = await read(readers, 'A line.', 'a.txt')
      assert.ok(text.ok && text.pieces[0]?.text === 'A line.', JSON.stringify(text))
      assert.equal(verdictOf(await read(readers, '<p>A line.</p>', 'a.html')), 'PROCESSING_FAILED crashed')
    } finally {
      await readers.close()
    }
  })

  it('is known to have ended of itself, by a crash, or by somebody else', async () => {
    assert.deepEqual(await does('exit'), { cause: 'exit', exit: 'code 7', stderr: '' })
    assert.equal((await does('crash')).cause, 'exit')
    const killed = await does('sleep', {}, ({ pid }) => process.kill(Number(pid), 'SIGKILL'))
    assert.deepEqual(killed, { cause: 'exit', exit: 'SIGKILL', stderr: '' })
  })

  it('is known not to have started', async () => {
    assert.equal((await does('exit', { file: 'none.ts' })).cause, 'exit')
  })

  it('ends when nobody gives it anything any more', async () => {
    const child = start(planted())
    child.input.destroy()
    assert.equal((await within('a process without input to end', child.ended)).cause, 'exit')
  })
})

describe('a reader that a file has taken over', () => {
  let readers: Readers
  before(() => {
    readers = createReaders({ program: planted() })
  })
  after(() => readers.close())

  const ENDS: [name: string, verdict: string][] = [
    ['heap', 'PARSE_FAILED too_large'],
    ['exit', 'PROCESSING_FAILED crashed'],
    ['crash', 'PROCESSING_FAILED crashed'],
    ['no-end', 'PROCESSING_FAILED crashed'],
    ['junk', 'PROCESSING_FAILED malformed_output'],
    ['no-message', 'PROCESSING_FAILED malformed_output'],
    ['pieces-first', 'PROCESSING_FAILED malformed_output'],
    ['bad-piece', 'PROCESSING_FAILED malformed_output'],
    ['endless-line', 'PROCESSING_FAILED malformed_output'],
    ['much-text', 'PROCESSING_FAILED malformed_output'],
  ]
  for (const [name, verdict] of ENDS) {
    it(`by ${name} comes to ${verdict}`, async () => {
      const reading = await read(readers, '', name)
      assert.equal(verdictOf(reading), verdict)
      assert.equal(!reading.ok && reading.isOurs, verdict.startsWith('PROCESSING'))
    })
  }

  it('and never answers is late', async () => {
    const impatient = createReaders({ seconds: 0.2, program: planted() })
    assert.equal(verdictOf(await read(impatient, '', 'sleep')), 'PARSE_FAILED timeout')
    await impatient.close()
  })

  it('is ended when nobody wants the text any more', async () => {
    const abort = new AbortController()
    const reading = read(readers, '', 'sleep', { signal: abort.signal })
    abort.abort()
    assert.equal(verdictOf(await within('the reading to end', reading)), 'PROCESSING_FAILED aborted')
  })

  it('is ended when the server stops', async () => {
    const stopping = createReaders({ program: planted() })
    const reading = read(stopping, '', 'sleep')
    await stopping.close()
    assert.equal(verdictOf(await within('the reading to end', reading)), 'PROCESSING_FAILED aborted')
  })
})

describe('organizations', () => {
  it('whose files never end to be read hold nobody else up, and take turns with themselves', async () => {
    const readers = createReaders({ program: planted() })
    // More than one organization may have at work, on any machine.
    const many = availableParallelism() + 2
    const endless = Array.from({ length: many }, () => read(readers, '', 'sleep'))
    for (const organizationId of ['org_b', 'org_c', 'org_b']) {
      const reading = await within(
        'a file of another organization',
        read(readers, '', 'no-end', { organizationId }),
      )
      assert.equal(verdictOf(reading), 'PROCESSING_FAILED crashed')
    }
    await readers.close()
    const verdicts = (await Promise.all(endless)).map(verdictOf)
    assert.deepEqual(verdicts, Array(many).fill('PROCESSING_FAILED aborted'))
  })
})

describe('bytes that are not those that were taken in', () => {
  let readers: Readers
  before(() => {
    readers = createReaders()
  })
  after(() => readers.close())

  const options = {
    organizationId: 'org_a',
    name: 'a.txt',
    mediaType: 'text/plain',
    charset: null,
    signal: new AbortController().signal,
  }
  const source = sourceOf(Buffer.from('text'))
  const WRONG: [what: string, source: typeof source, reason: string][] = [
    ['altered', { ...source, sha256: '0'.repeat(64) }, 'blob_altered'],
    ['longer', { ...source, sizeBytes: 3 }, 'blob_altered'],
    ['shorter', { ...source, sizeBytes: 5 }, 'blob_altered'],
    ['gone', { ...source, open: () => Promise.reject(new Error('no such file')) }, 'blob_missing'],
    [
      'cut off',
      {
        ...source,
        async *open() {
          yield Buffer.from('te')
          throw new Error('the connection has ended')
        },
      },
      'blob_missing',
    ],
  ]
  for (const [what, wrong, reason] of WRONG) {
    it(`because they are ${what} are not believed, and nobody blames the file`, async () => {
      const reading = await within('the reading to end', readers.readText(wrong, options))
      assert.equal(verdictOf(reading), `PROCESSING_FAILED ${reason}`)
      assert.equal(!reading.ok && reading.isOurs, true)
    })
  }
})
