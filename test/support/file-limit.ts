import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, Worker, workerData } from 'node:worker_threads'

/**
 * Loaded into every process of the test runner: one whose file is not over in time says so and ends. The runner's own limit
 * is for each test; it neither ends what keeps an event loop alive when its tests are over, nor a loop that never lets go.
 * So it is a thread that watches.
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
