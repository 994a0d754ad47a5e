import { readFileSync } from 'node:fs'
import { type Clock, MINUTE, type Millis } from '../core/clock.ts'

/** How long a process may take. */
interface TimeLimit {
  /** It has this long from now; a later call takes the place of an earlier one. */
  set(time: Millis): void
  /** Ends it: `onOver` is not called any more. */
  cancel(): void
}

interface TimeLimitOptions {
  after: Clock['after']
  /** How long something has been going on, whatever clock is set. */
  elapsed: () => Millis
  /** How long it has waited for a processor so far, in all. */
  cpuWait: () => Millis
  /** @param cause `wall` where it has had its time, `starved` where the machine did not give it */
  onExceeded: (cause: 'wall' | 'starved') => void
}

/** Whatever it waits for a processor, it is given so many times its time, at least so long, and not more. */
const MOST_TIMES = 4
const AT_LEAST: Millis = MINUTE
/** The shortest remaining time, as a timer is no more precise. */
const LEAST: Millis = 10

/** While a process waits for a processor it is not its own time that passes: others take it, and the file that it reads is not the cause. */
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

/** How long a process has waited for a processor since it began; 0 where the system does not tell. */
export function cpuWaitOf(pid: number): Millis {
  try {
    const [, nanoseconds = 0] = readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')
    return Number(nanoseconds) / 1e6
  } catch {
    return 0
  }
}
