import type { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import type { Server, Socket } from 'node:net'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Worker } from 'node:worker_threads'

/**
 * What a process of the test runner is at, for the message when it has to be ended (`file-limit.ts`): the tests that have begun and
 * not ended, and the resources that keep the process alive, with the place that has opened each. Node publishes both.
 */
interface Begun {
  name: string
  type: 'test' | 'suite'
  nesting: number
}

/** What can keep a process alive, and is known with the place that has opened it. */
interface Opened {
  /** What it is, in words; undefined once it is closed. */
  describe(): string | undefined
  /** Holds the stack of the place that has opened it. */
  at: Error
}

/** The runner's name for what holds all tests of a process. */
const ROOT_TEST = '<root>'
/** Calls of the program and of libraries lie between a test and the resource. */
const DEEPEST_STACK = 40
const MOST_PLACES = 5
const MOST_NAMED = 20
/** Closed resources are forgotten when so many are known. */
const FIRST_SWEEP = 200

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

interface Followed {
  /** The state of the process, in a few lines. */
  describe(): string
  /** Whether a test is under way, or a hook of a suite. */
  isTesting(): boolean
}

/** Follows tests and resources from here on. */
export function followProcess(): Followed {
  const tests = followTests()
  const resources = followResources()
  return {
    describe: () => [tests.describe(), ...resources()].join('\n'),
    isTesting: tests.isTesting,
  }
}

function followTests(): Followed {
  const begun = new Set<Begun>()
  let ended = 0
  let isInLastHooks = false
  subscribe('tracing:node.test:start', (test) => {
    // What holds all tests of the process begins after them, for the hooks.
    if ((test as Begun).name === ROOT_TEST) isInLastHooks = true
    else begun.add(test as Begun)
  })
  subscribe('tracing:node.test:end', (test) => {
    if ((test as Begun).name === ROOT_TEST) isInLastHooks = false
    else if (begun.delete(test as Begun)) ended += 1
  })
  function describe(): string {
    // All suites begin while the files are loaded, and run one after the other: the first that has not ended is under way.
    const suite = [...begun].find(({ type, nesting }) => type === 'suite' && nesting === 0)?.name
    const within = suite === undefined ? '' : ` of the suite "${suite}"`
    const names = [...begun].filter(({ type }) => type === 'test').map(({ name }) => `"${name}"`)
    if (names.length > 0) return `Under way${within}: ${names.join(', ')}.`
    if (suite !== undefined) return `No test is under way, but a hook${within}.`
    if (isInLastHooks) return 'All of its tests have ended, but not the hooks after all of them.'
    return ended > 0
      ? 'All of its tests and hooks have ended.'
      : 'No test has begun: a file is still being loaded, or a hook of all tests is under way.'
  }
  return { describe, isTesting: () => begun.size > 0 }
}

function followResources(): () => string[] {
  let opened: Opened[] = []
  let sweepAt = FIRST_SWEEP
  function note(describe: Opened['describe']): void {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = DEEPEST_STACK
    opened.push({ describe, at: new Error('opened') })
    Error.stackTraceLimit = stackTraceLimit
    if (opened.length < sweepAt) return
    opened = opened.filter(({ describe }) => describe() !== undefined)
    sweepAt = Math.max(FIRST_SWEEP, 2 * opened.length)
  }
  // A server listens only after this has been published.
  const listening = new WeakSet<Server>()
  subscribe('tracing:net.server.listen:asyncStart', (message) => {
    const { server } = message as { server: Server }
    listening.add(server)
    server.once('close', () => listening.delete(server))
    note(() => (listening.has(server) ? `a server at ${JSON.stringify(server.address())}` : undefined))
  })
  subscribe('net.client.socket', (message) => {
    const { socket } = message as { socket: Socket }
    note(() =>
      socket.destroyed ? undefined : `a connection to ${socket.remoteAddress}:${socket.remotePort}`,
    )
  })
  subscribe('child_process', (message) => {
    const child = (message as { process: ChildProcess }).process
    note(() =>
      child.exitCode === null && child.signalCode === null
        ? `the process ${child.pid}, ${(child.spawnargs ?? []).join(' ').slice(0, 200)}`
        : undefined,
    )
  })
  subscribe('worker_threads', (message) => {
    const { worker } = message as { worker: Worker }
    note(() => (worker.threadId < 0 ? undefined : `the thread ${worker.threadId}`))
  })
  return () => {
    const named = opened.flatMap(({ describe, at }) => {
      const what = describe()
      return what === undefined ? [] : [`- ${what}, opened by ${placesOf(at)}`]
    })
    const more = named.length > MOST_NAMED ? [`- and ${named.length - MOST_NAMED} more`] : []
    return [
      'What may keep the process alive:',
      ...named.slice(0, MOST_NAMED),
      ...more,
      `- by Node's own count: ${countOf(process.getActiveResourcesInfo())}`,
    ]
  }
}

/** The places of this repository in a stack, the innermost first. */
function placesOf({ stack = '' }: Error): string {
  const places = [...stack.matchAll(/(?:file:\/\/)?(\/[^\s()]+\.tsx?:\d+):\d+/g)]
    .map(([, place = '']) => relative(ROOT, place))
    .filter((place) => !place.includes('node_modules') && !place.startsWith('test/support/under-way.ts'))
  if (places.length === 0) return 'no place of this repository'
  return [...new Set(places)].slice(0, MOST_PLACES).join(' < ')
}

function countOf(types: string[]): string {
  const groups = Object.entries(Object.groupBy(types, (type) => type))
  return groups.map(([type, all = []]) => `${all.length} ${type}`).join(', ') || 'nothing'
}
