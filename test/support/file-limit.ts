import { writeSync } from 'node:fs'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { followProcess } from './under-way.ts'

/**
 * Loaded into every process of the test runner: ends a process whose files take too long, or that something keeps alive after its
 * tests, and says what is under way and what keeps it alive. The runner's own limit is for each test and each hook. A thread watches,
 * because an endless loop keeps the process from ending itself.
 */
const LIMIT_MINUTES = 60
/** The process ends within this time after its last test: hooks of all tests close what is open. */
const REST_MINUTES = 5
/** A process that computes without a pause does not answer for longer. */
const SILENCE_SECONDS = 10
/** `npm run test:console:all` has six times the work in a file, and gets three times the limit. */
const limit = LIMIT_MINUTES * (process.env.CONSOLE_TESTS === 'all' ? 3 : 1)

const file = process.argv[1] ?? ''
if (isMainThread && /\.test\.tsx?$/.test(file)) guard()
else if (!isMainThread) void watch(String(workerData))

function guard(): void {
  const thread = new Worker(new URL(import.meta.url), { workerData: file, execArgv: [] })
  const { describe, isTesting } = followProcess()
  const end = async (why: string) => {
    writeSync(2, `\n${file} is not over ${why} and is ended.\n${describe()}\n`)
    // The runner reports then what it keeps for the end, such as errors without a handler.
    process.emit('beforeExit', 1)
    await sleep(1_000)
    process.exit(1)
  }
  thread.on('message', () => void end(`after ${limit} minutes`)).unref()
  // Registered before all others: it is called as soon as the last test has ended.
  after(async function rest() {
    void sleep(REST_MINUTES * 60_000, undefined, { ref: false }).then(() =>
      isTesting() ? rest() : end(`${REST_MINUTES} minutes after its last test`),
    )
  })
}

async function watch(watched: string): Promise<void> {
  await sleep(limit * 60_000)
  parentPort?.postMessage('late')
  await sleep(SILENCE_SECONDS * 1_000)
  writeSync(2, `\n${watched} is not over after ${limit} minutes, computes without a pause and is ended.\n`)
  process.kill(process.pid, 'SIGKILL')
}
