import { spawn } from 'node:child_process'
import { constants, getPriority, setPriority } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { type Millis, stopwatch, systemClock } from '../core/clock.ts'
import { createIdlePriority, setIdlePriority, setNormalPriority } from './idle-priority.ts'
import { watchMemory } from './memory-limit.ts'
import { messagesOf, type OutputLimits } from './output.ts'
import { commandOf, NICENESS, type Program } from './program.ts'
import type { ProgramBundle } from './program-bundle.ts'
import { cpuWaitOf, createTimeLimit } from './time-limit.ts'

/** Why the parent killed a child. */
type KillCause = 'wall' | 'starved' | 'memory' | 'output' | 'aborted' | 'done'

/** How a child ended. */
export interface ChildExit {
  /** `exit`: it ended on its own. `processor`: the kernel's limit of processor time ended it. */
  cause: KillCause | 'processor' | 'exit' | 'unstarted'
  /** Its exit code or signal as text. */
  exit: string
  /** The beginning of its error output. */
  stderr: string
}

/** A process that works on untrusted input, and may be killed at any moment. */
export interface Child {
  readonly pid: number | undefined
  readonly input: Writable
  /** The messages of the child; may be read once. @throws OutputError */
  messages(limits: OutputLimits): AsyncGenerator<unknown>
  /**
   * Sets the time that the child has from now on; a later call replaces the limit. Waits for a processor do not count. A child that
   * takes long runs at idle priority for a bounded time.
   */
  setTimeLimit(time: Millis): void
  /** Kills the child at once. Only the first cause counts. */
  kill(cause: KillCause): void
  /** Resolves when the child has ended; never rejects. */
  readonly ended: Promise<ChildExit>
}

/** The descriptor of a child's messages. Its standard output is discarded, because libraries print to it. */
const OUTPUT = 3
const STDERR_BYTES = 4 * 1024
const LOWEST = constants.priority.PRIORITY_LOW
const OUT_OF_MEMORY = /heap|out of memory|allocation failed/i

/**
 * Starts a child that inherits nothing: no environment, and no descriptor but three pipes. Its limits use real time, also where the
 * program's clock was moved.
 * @param bundle the code of `program` (`bundleProgram`), which the child reads first
 * @throws never: for a child that cannot be started, `ended` resolves
 */
export function startChild(program: Program, bundle: ProgramBundle): Child {
  const [file, ...args] = commandOf(program)
  const child = spawn(file, args, { env: {}, stdio: ['pipe', 'ignore', 'pipe', 'pipe'], windowsHide: true })
  const { pid } = child
  const input = child.stdin as Writable
  const output = child.stdio[OUTPUT] as Readable
  let killed: KillCause | undefined

  function kill(cause: KillCause): void {
    killed ??= cause
    if (child.kill('SIGKILL')) idlePriority.killed()
  }

  const stopWatching =
    pid === undefined ? () => {} : watchMemory(systemClock, pid, program.residentMb, () => kill('memory'))
  if (pid !== undefined && file === process.execPath) lowerPriority(pid)
  const { after } = systemClock
  const cpuWait = () => (pid === undefined ? 0 : cpuWaitOf(pid))
  const timeLimit = createTimeLimit({ after, elapsed: stopwatch(), cpuWait, onExceeded: kill })
  let changed = Promise.resolve()
  /**
   * Changes the priority after all earlier changes, because each change runs a program, which may be slow.
   */
  function change(setPriorityOf: (pid: number) => Promise<void>): void {
    changed = changed.then(async () => {
      if (pid !== undefined && child.signalCode === null && child.exitCode === null) await setPriorityOf(pid)
    })
  }
  const idlePriority = createIdlePriority({
    after,
    cpuWait,
    setIdle: () => change(setIdlePriority),
    setNormal: () => change(setNormalPriority),
  })
  const complaint = collect(child.stderr as Readable)
  // A child that ends early breaks the pipe; `ended` reports the cause.
  input.on('error', () => {})
  output.on('error', () => {})
  input.write(bundle)

  const ended = new Promise<ChildExit>((resolve) => {
    function over(cause: ChildExit['cause'], exit: string): void {
      stopWatching()
      timeLimit.cancel()
      idlePriority.end()
      resolve({ cause, exit, stderr: complaint() })
    }
    child.once('error', (error) => {
      if (pid === undefined) over('unstarted', error.message)
    })
    // Not `exit`: at that event messages may still be in the pipe.
    child.once('close', (code, signal) =>
      over(killed ?? causeOf(code, signal, complaint()), signal ?? `code ${code}`),
    )
  })

  return {
    pid,
    input,
    messages: (limits) => messagesOf(output, limits),
    setTimeLimit(time) {
      timeLimit.set(time)
      idlePriority.begin()
    },
    kill,
    ended,
  }
}

function causeOf(code: number | null, signal: NodeJS.Signals | null, complaint: string): ChildExit['cause'] {
  if (signal === 'SIGXCPU') return 'processor'
  return code !== 0 && OUT_OF_MEMORY.test(complaint) ? 'memory' : 'exit'
}

/** Lowers the priority where no shell can. It must happen before the child starts threads, which have their own priority on Linux. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, Math.min(LOWEST, getPriority() + NICENESS))
  } catch {
    // It has ended, or the system does not permit it: the child keeps the normal priority.
  }
}

/** Reads a stream to its end, and keeps the first bytes. */
function collect(stream: Readable): () => string {
  let kept = ''
  stream.on('error', () => {})
  stream.on('data', (chunk: Buffer) => {
    if (kept.length < STDERR_BYTES) kept += chunk.toString('latin1', 0, STDERR_BYTES - kept.length)
  })
  return () => kept
}
