import { readFileSync } from 'node:fs'
import { type Clock, MINUTE, type Millis } from '../core/clock.ts'

/** How long a process may take. */
interface Allowance {
  /** It has this long from now; a later call takes the place of an earlier one. */
  allow(time: Millis): void
  /** Ends it: `onOver` is not called any more. */
  end(): void
}

interface AllowanceOptions {
  after: Clock['after']
  /** How long something has been going on, whatever clock is set. */
  elapsed: () => Millis
  /** How long it has waited for a processor so far, in all. */
  waited: () => Millis
  /** @param cause `wall` where it has had its time, `starved` where the machine did not give it */
  onOver: (cause: 'wall' | 'starved') => void
}

/** Whatever it waits for a processor, it is given so many times its time, at least so long, and not more. */
const MOST_TIMES = 4
const AT_LEAST: Millis = MINUTE
/** The shortest remaining time, as a timer is no more precise. */
const LEAST: Millis = 10

/** While a process waits for a processor it is not its own time that passes: others take it, and the file that it reads is not the cause. */
export function createAllowance({ after, elapsed, waited, onOver }: AllowanceOptions): Allowance {
  let cancel = () => {}

  function allow(time: Millis): void {
    const [begun, before] = [elapsed(), waited()]
    const most = Math.max(MOST_TIMES * time, AT_LEAST)
    function check(): void {
      const passed = elapsed() - begun
      const left = time - (passed - (waited() - before))
      if (left < LEAST) onOver('wall')
      else if (passed >= most) onOver('starved')
      else cancel = after(Math.min(left, most - passed), check)
    }
    cancel()
    cancel = after(time, check)
  }

  return { allow, end: () => cancel() }
}

/** How long a process has waited for a processor since it began; 0 where the system does not tell. */
export function waitedOf(pid: number): Millis {
  try {
    const [, nanoseconds = 0] = readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')
    return Number(nanoseconds) / 1e6
  } catch {
    return 0
  }
}
