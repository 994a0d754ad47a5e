import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type Clock, type Millis, SECOND } from '../core/clock.ts'

/** Changes the scheduling policy of a process on Linux; part of util-linux. */
const CHRT = '/usr/bin/chrt'
const IDLE = ['-i']
const NORMAL = ['-o']
const PATIENCE: Millis = 10 * SECOND
/** Work that takes longer than this counts as long; most work takes less. */
const LONG: Millis = SECOND
/** The longest total time that a process waits for a processor at idle priority. */
export const LONGEST_IDLE_WAIT: Millis = 5 * SECOND
const INTERVAL: Millis = SECOND / 2

/** Runs a process at idle priority while its work takes long, for a bounded time. */
interface IdlePriority {
  /** The process begins a piece of work; after a second the work counts as long. */
  begin(): void
  /**
   * The process was killed. It gets normal priority, because at idle priority it ends only when no other
   * process needs the processor.
   */
  killed(): void
  /** The process has ended. */
  end(): void
}

interface IdlePriorityOptions {
  after: Clock['after']
  /** The total time that the process has waited for a processor. */
  cpuWait: () => Millis
  /** Sets idle priority, and the normal one. */
  setIdle: () => void
  setNormal: () => void
}

/**
 * Sets a process to idle priority when its work takes longer than a second. Once it has waited `LONGEST_IDLE_WAIT` for a processor it
 * gets normal priority and keeps it, because on a machine that is never idle it would not end.
 */
export function createIdlePriority({
  after,
  cpuWait,
  setIdle,
  setNormal,
}: IdlePriorityOptions): IdlePriority {
  let cancel = () => {}
  let before: Millis | undefined
  let keepsNormal = false

  function keepNormal(): void {
    keepsNormal = true
    if (before !== undefined) setNormal()
  }

  function check(): void {
    if (cpuWait() - (before ?? 0) < LONGEST_IDLE_WAIT) {
      cancel = after(INTERVAL, check)
      return
    }
    keepNormal()
  }

  return {
    begin() {
      if (keepsNormal || before !== undefined) return
      cancel()
      cancel = after(LONG, () => {
        before = cpuWait()
        setIdle()
        check()
      })
    },
    killed() {
      cancel()
      if (!keepsNormal) keepNormal()
    },
    end: () => cancel(),
  }
}

/** Arguments that make both changes to a process that only prints its version. */
const PROBE = [...IDLE, '0', CHRT, ...NORMAL, '0', CHRT, '--version']
let isAllowed: Promise<boolean> | undefined

/**
 * Whether this machine can set idle priority and restore the normal one. The second needs a right that a container may lack; without
 * it idle priority is not used.
 */
export function canSetIdlePriority(): Promise<boolean> {
  isAllowed ??= process.platform === 'linux' && existsSync(CHRT) ? runChrt(PROBE) : Promise.resolve(false)
  return isAllowed
}

/**
 * Sets idle priority for a process and all of its threads, which then run only while no other process needs
 * the processor. Changes nothing where this machine cannot do that.
 */
export function setIdlePriority(pid: number): Promise<void> {
  return setPolicy(pid, IDLE)
}

/** Restores the normal policy of a process, with the niceness that it started with. */
export function setNormalPriority(pid: number): Promise<void> {
  return setPolicy(pid, NORMAL)
}

async function setPolicy(pid: number, policy: string[]): Promise<void> {
  if (await canSetIdlePriority()) await runChrt(['-a', ...policy, '-p', '0', String(pid)])
}

/** @returns whether it succeeded */
function runChrt(args: string[]): Promise<boolean> {
  const running = spawn(CHRT, args, { env: {}, stdio: 'ignore', timeout: PATIENCE })
  running.unref()
  return new Promise((resolve) =>
    running.once('error', () => resolve(false)).once('close', (code) => resolve(code === 0)),
  )
}
