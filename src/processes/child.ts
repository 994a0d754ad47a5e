import { spawn } from 'node:child_process'
import { constants, getPriority, setPriority } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { type Millis, stopwatch, systemClock } from '../core/clock.ts'
import { createAllowance, waitedOf } from './allowance.ts'
import { canRunLast, createYielding, putBack, putLastOfAll } from './last-of-all.ts'
import { messagesOf, type OutputLimits } from './output.ts'
import { commandOf, type Program, STEPS_BEHIND } from './program.ts'
import { watchResident } from './resident.ts'
import type { Introduction } from './sources.ts'

/** Why a child was ended from here. */
type Ending = 'wall' | 'starved' | 'memory' | 'output' | 'aborted' | 'done'

/** How a child ended: of what was done to it, or `exit`, of itself. */
export interface End {
  cause: Ending | 'processor' | 'exit' | 'unstarted'
  /** Its exit code or signal, in words. */
  how: string
  /** The beginning of what it complained of. */
  complaint: string
}

/** A process that works on what a stranger sent, and may be killed at any moment. */
export interface Child {
  readonly pid: number | undefined
  readonly input: Writable
  /** What it says; once. @throws OutputError */
  messages(limits: OutputLimits): AsyncGenerator<unknown>
  /**
   * It has this long from now, without what it waits for a processor; a later call takes the place of an earlier one. One that
   * takes long comes behind all others, for a bounded time.
   */
  allow(time: Millis): void
  /** Ends it at once. Only the first cause counts. */
  kill(cause: Ending): void
  /** Resolves when it is no more; never rejects. */
  readonly ended: Promise<End>
}

/** Where a child says what it finds: what libraries print goes nowhere. */
const OUTPUT = 3
const COMPLAINT_BYTES = 4 * 1024
const LOWEST = constants.priority.PRIORITY_LOW
const OUT_OF_MEMORY = /heap|out of memory|allocation failed/i

/**
 * Starts a child that inherits nothing: no environment, no descriptor but three pipes. Its time is the machine's, whatever
 * clock the program has.
 * @param introduction what the child reads first, the sources of `program` (`introduce`)
 * @throws never; what cannot be started has `ended`
 */
export function startChild(program: Program, introduction: Introduction): Child {
  const [file, ...args] = commandOf(program)
  const child = spawn(file, args, { env: {}, stdio: ['pipe', 'ignore', 'pipe', 'pipe'], windowsHide: true })
  const { pid } = child
  const input = child.stdin as Writable
  const output = child.stdio[OUTPUT] as Readable
  let killed: Ending | undefined

  function kill(cause: Ending): void {
    killed ??= cause
    child.kill('SIGKILL')
  }

  const unwatch =
    pid === undefined ? () => {} : watchResident(systemClock, pid, program.residentMb, () => kill('memory'))
  if (pid !== undefined && file === process.execPath) lowerPriority(pid)
  const { after } = systemClock
  const waited = () => (pid === undefined ? 0 : waitedOf(pid))
  const allowance = createAllowance({ after, elapsed: stopwatch(), waited, onOver: kill })
  const yielding =
    pid === undefined
      ? undefined
      : createYielding({ after, waited, putLast: () => putLastOfAll(pid), putBack: () => putBack(pid) })
  const complaint = collect(child.stderr as Readable)
  // A child that ends early leaves a broken pipe: how it ended says more.
  input.on('error', () => {})
  output.on('error', () => {})
  input.write(introduction)

  const ended = new Promise<End>((resolve) => {
    function over(cause: End['cause'], how: string): void {
      unwatch()
      allowance.end()
      yielding?.end()
      resolve({ cause, how, complaint: complaint() })
    }
    child.once('error', (error) => {
      if (pid === undefined) over('unstarted', error.message)
    })
    // Not `exit`: then what it has said may still be in the pipe.
    child.once('close', (code, signal) =>
      over(killed ?? causeOf(code, signal, complaint()), signal ?? `code ${code}`),
    )
  })

  return {
    pid,
    input,
    messages: (limits) => messagesOf(output, limits),
    allow(time) {
      allowance.allow(time)
      if (canRunLast()) yielding?.begin()
    },
    kill,
    ended,
  }
}

function causeOf(code: number | null, signal: NodeJS.Signals | null, complaint: string): End['cause'] {
  if (signal === 'SIGXCPU') return 'processor'
  return code !== 0 && OUT_OF_MEMORY.test(complaint) ? 'memory' : 'exit'
}

/** Where no shell does it, before there are threads: on Linux each has a priority of its own. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, Math.min(LOWEST, getPriority() + STEPS_BEHIND))
  } catch {
    // It has ended already, or the system does not allow it: then it runs as others do.
  }
}

/** Takes all that is said, and keeps the beginning. */
function collect(stream: Readable): () => string {
  let kept = ''
  stream.on('error', () => {})
  stream.on('data', (chunk: Buffer) => {
    if (kept.length < COMPLAINT_BYTES) kept += chunk.toString('latin1', 0, COMPLAINT_BYTES - kept.length)
  })
  return () => kept
}
