import { spawn } from 'node:child_process'
import { constants, getPriority, setPriority } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { type Millis, stopwatch, systemClock } from '../core/clock.ts'
import {
  canSetIdlePriority,
  createIdlePriority,
  setIdlePriority,
  setNormalPriority,
} from './idle-priority.ts'
import { watchMemory } from './memory-limit.ts'
import { messagesOf, type OutputLimits } from './output.ts'
import { commandOf, NICENESS, type Program } from './program.ts'
import type { ProgramBundle } from './program-bundle.ts'
import { cpuWaitOf, createTimeLimit } from './time-limit.ts'

/** Why a child was ended from here. */
type KillCause = 'wall' | 'starved' | 'memory' | 'output' | 'aborted' | 'done'

/** How a child ended: of what was done to it, or `exit`, of itself. */
export interface ChildExit {
  cause: KillCause | 'processor' | 'exit' | 'unstarted'
  /** Its exit code or signal, in words. */
  exit: string
  /** The beginning of what it complained of. */
  stderr: string
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
  setTimeLimit(time: Millis): void
  /** Ends it at once. Only the first cause counts. */
  kill(cause: KillCause): void
  /** Resolves when it is no more; never rejects. */
  readonly ended: Promise<ChildExit>
}

/** Where a child says what it finds: what libraries print goes nowhere. */
const OUTPUT = 3
const COMPLAINT_BYTES = 4 * 1024
const LOWEST = constants.priority.PRIORITY_LOW
const OUT_OF_MEMORY = /heap|out of memory|allocation failed/i

/**
 * Starts a child that inherits nothing: no environment, no descriptor but three pipes. Its time is the machine's, whatever
 * clock the program has.
 * @param introduction what the child reads first, the sources of `program` (`bundleProgram`)
 * @throws never; what cannot be started has `ended`
 */
export function startChild(program: Program, introduction: ProgramBundle): Child {
  const [file, ...args] = commandOf(program)
  const child = spawn(file, args, { env: {}, stdio: ['pipe', 'ignore', 'pipe', 'pipe'], windowsHide: true })
  const { pid } = child
  const input = child.stdin as Writable
  const output = child.stdio[OUTPUT] as Readable
  let killed: KillCause | undefined

  function kill(cause: KillCause): void {
    killed ??= cause
    child.kill('SIGKILL')
  }

  const unwatch =
    pid === undefined ? () => {} : watchMemory(systemClock, pid, program.residentMb, () => kill('memory'))
  if (pid !== undefined && file === process.execPath) lowerPriority(pid)
  const { after } = systemClock
  const cpuWait = () => (pid === undefined ? 0 : cpuWaitOf(pid))
  const allowance = createTimeLimit({ after, elapsed: stopwatch(), cpuWait, onExceeded: kill })
  const yielding =
    pid === undefined
      ? undefined
      : createIdlePriority({
          after,
          cpuWait,
          setIdle: () => setIdlePriority(pid),
          setNormal: () => setNormalPriority(pid),
        })
  const complaint = collect(child.stderr as Readable)
  // A child that ends early leaves a broken pipe: how it ended says more.
  input.on('error', () => {})
  output.on('error', () => {})
  input.write(introduction)

  const ended = new Promise<ChildExit>((resolve) => {
    function over(cause: ChildExit['cause'], exit: string): void {
      unwatch()
      allowance.cancel()
      yielding?.end()
      resolve({ cause, exit, stderr: complaint() })
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
    setTimeLimit(time) {
      allowance.set(time)
      if (canSetIdlePriority()) yielding?.begin()
    },
    kill,
    ended,
  }
}

function causeOf(code: number | null, signal: NodeJS.Signals | null, complaint: string): ChildExit['cause'] {
  if (signal === 'SIGXCPU') return 'processor'
  return code !== 0 && OUT_OF_MEMORY.test(complaint) ? 'memory' : 'exit'
}

/** Where no shell does it, before there are threads: on Linux each has a priority of its own. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, Math.min(LOWEST, getPriority() + NICENESS))
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
