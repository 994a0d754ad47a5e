import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { basename, relative } from 'node:path'
import { isMainThread } from 'node:worker_threads'

/**
 * Loaded into every process of the test runner, beside `file-limit.ts`: notes what its file took when it ends, so that the
 * runner can say which files cost most (`run-files.ts`). PostgreSQL, which all share, is not in it.
 */
export interface FileCost {
  /** Its path, or the name of its group (`groups.ts`). */
  file: string
  /** Of its process, and of those that it started and that have ended. */
  processorSeconds: number
  seconds: number
}

/** What the kernel counts a processor's time in, on every platform that has `/proc`. */
const TICKS_PER_SECOND = 100
const file = process.argv[1] ?? ''
const notes = process.env.POSTERN_TEST_COSTS
if (isMainThread && notes !== undefined && /\.test\.tsx?$/.test(file))
  process.once('exit', () => {
    const cost: FileCost = {
      file: file.startsWith(process.cwd()) ? relative(process.cwd(), file) : basename(file, '.test.ts'),
      processorSeconds: ownSeconds() + childrenSeconds(),
      seconds: process.uptime(),
    }
    appendFileSync(notes, `${JSON.stringify(cost)}\n`)
  })

/** What `notes` holds, the most expensive first. */
export function readCosts(notes: string): FileCost[] {
  if (!existsSync(notes)) return []
  const lines = readFileSync(notes, 'utf8').split('\n').filter(Boolean)
  return lines
    .map((line) => JSON.parse(line) as FileCost)
    .sort((one, other) => other.processorSeconds - one.processorSeconds)
}

function ownSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000_000
}

/**
 * Processor seconds of the processes that this one has started and that have ended, where the kernel tells
 * them: `cutime` and `cstime`, fields 16 and 17 of `/proc/self/stat`.
 */
export function childrenSeconds(): number {
  if (!existsSync('/proc/self/stat')) return 0
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND
}
