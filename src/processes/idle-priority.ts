import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type Clock, type Millis, SECOND } from '../core/clock.ts'

/** Changes how the kernel of Linux treats a process; part of util-linux. */
const CHRT = '/usr/bin/chrt'
const LAST = ['-i']
const ORDINARY = ['-o']
const PATIENCE_MS = 1_000
/** Work that takes longer than this counts as long; most work takes less. */
const LONG: Millis = SECOND
/** A process waits behind all others of the machine for so long in all, and then no more. */
export const LONGEST_IDLE_WAIT: Millis = 5 * SECOND
const INTERVAL: Millis = SECOND / 2

/** Lets a process run behind all others of the machine while it works on something long, for a bounded time. */
interface IdlePriority {
  /** The process begins a piece of work, which counts as long after a second. */
  begin(): void
  /** The process has ended. */
  end(): void
}

interface IdlePriorityOptions {
  after: Clock['after']
  /** How long the process has waited for a processor so far, in all. */
  cpuWait: () => Millis
  /** Puts it behind all others of the machine, and back among them. */
  setIdle: () => void
  setNormal: () => void
}

/**
 * Has a process run only while no other wants a processor, from the second second of its work on. Once it has waited for
 * `LONGEST_IDLE_WAIT` it is put back, and stays there: on a machine that is never idle it would not end.
 */
export function createIdlePriority({
  after,
  cpuWait,
  setIdle,
  setNormal,
}: IdlePriorityOptions): IdlePriority {
  let cancel = () => {}
  let before: Millis | undefined
  let isBack = false

  function check(): void {
    if (cpuWait() - (before ?? 0) < LONGEST_IDLE_WAIT) {
      cancel = after(INTERVAL, check)
      return
    }
    isBack = true
    setNormal()
  }

  return {
    begin() {
      if (isBack || before !== undefined) return
      cancel()
      cancel = after(LONG, () => {
        before = cpuWait()
        setIdle()
        check()
      })
    },
    end: () => cancel(),
  }
}

let isAllowed: boolean | undefined

/**
 * Whether this machine lets a process run last of all and come back: the second takes a right that a container may lack, and
 * without it the first is never done.
 */
export function canSetIdlePriority(): boolean {
  isAllowed ??=
    process.platform === 'linux' &&
    existsSync(CHRT) &&
    spawnSync(CHRT, [...LAST, '0', CHRT, ...ORDINARY, '0', CHRT, '--version'], {
      env: {},
      stdio: 'ignore',
      timeout: PATIENCE_MS,
    }).status === 0
  return isAllowed
}

/** Has a process, with all of its threads, run only while no other wants a processor. */
export function setIdlePriority(pid: number): void {
  change(pid, LAST)
}

/** Puts it back among all others, as far behind them as it began. */
export function setNormalPriority(pid: number): void {
  change(pid, ORDINARY)
}

function change(pid: number, how: string[]): void {
  const changing = spawn(CHRT, ['-a', ...how, '-p', '0', String(pid)], { env: {}, stdio: 'ignore' })
  changing.on('error', () => {})
  changing.unref()
}
