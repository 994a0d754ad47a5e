import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, Worker, workerData } from 'node:worker_threads'

/**
 * Loaded into every process of the test runner: ends a process whose file takes too long, with a message. The runner's own limit is for
 * each test: it does not end a process that something keeps alive after its tests, nor an endless loop. So a thread watches.
 */
const LIMIT_MINUTES = 20
/** `npm run test:console:all` has six times as much in a file. */
const limit = LIMIT_MINUTES * (process.env.CONSOLE_TESTS === 'all' ? 3 : 1)

const file = process.argv[1] ?? ''
if (isMainThread && /\.test\.tsx?$/.test(file))
  new Worker(new URL(import.meta.url), { workerData: file, execArgv: [] }).unref()
else if (!isMainThread) void watch(String(workerData))

async function watch(watched: string): Promise<void> {
  await sleep(limit * 60_000)
  writeSync(2, `\n${watched} is not over after ${limit} minutes and is ended.\n`)
  process.kill(process.pid, 'SIGKILL')
}
