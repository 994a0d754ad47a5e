import { readFileSync } from 'node:fs'
import { type Clock, MINUTE, type Millis } from '../core/clock.ts'

/** The time limit of a process. */
interface TimeLimit {
  /** Sets the time that the process has from now on; a later call replaces the limit. */
  set(time: Millis): void
  /** Cancels the limit: `onExceeded` is not called any more. */
  cancel(): void
}

interface TimeLimitOptions {
  after: Clock['after']
  /** The real time since the process began, by a monotonic clock. */
  elapsed: () => Millis
  /** The total time that the process has waited for a processor. */
  cpuWait: () => Millis
  /** @param cause `wall`: the process used up its time; `starved`: it did not get a processor */
  onExceeded: (cause: 'wall' | 'starved') => void
}

/** Time that the process waits for a processor does not count, up to four times its limit, and at least up to a minute. */
const MOST_TIMES = 4
const AT_LEAST: Millis = MINUTE
/** A shorter remaining time counts as used up, because timers are not more precise. */
const LEAST: Millis = 10

/** The wait for a processor does not count against the limit, because other processes cause it, not the file that is read. */
export function createTimeLimit({ after, elapsed, cpuWait, onExceeded }: TimeLimitOptions): TimeLimit {
  let cancel = () => {}

  function set(time: Millis): void {
    const [begun, before] = [elapsed(), cpuWait()]
    const most = Math.max(MOST_TIMES * time, AT_LEAST)
    function check(): void {
      const passed = elapsed() - begun
      const left = time - (passed - (cpuWait() - before))
      if (left < LEAST) onExceeded('wall')
      else if (passed >= most) onExceeded('starved')
      else cancel = after(Math.min(left, most - passed), check)
    }
    cancel()
    cancel = after(time, check)
  }

  return { set, cancel: () => cancel() }
}

/** @returns the time that a process has waited for a processor since it began; 0 where the system does not report it */
export function cpuWaitOf(pid: number): Millis {
  try {
    const [, nanoseconds = 0] = readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')
    return Number(nanoseconds) / 1e6
  } catch {
    return 0
  }
}
