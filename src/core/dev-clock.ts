import type { Clock, Millis } from './clock.ts'

/** A clock that can be moved ahead of the machine's: for trials, never in production. */
export interface DevClock extends Clock {
  /** The offset of the clock. */
  ahead(): Millis
  /** Moves the clock ahead; timers that become due fire at once. A smaller value changes nothing. */
  setAhead(ahead: Millis): void
}

export function createDevClock(base: Clock): DevClock {
  let ahead = 0
  const now = () => base.now() + ahead
  const timers = createMovableTimers(now, base.after)
  return {
    now,
    real: () => base.now(),
    ahead: () => ahead,
    after: timers.after,
    setAhead(next) {
      if (next <= ahead) return
      ahead = next
      timers.follow()
    },
  }
}

interface Timer {
  at: Millis
  cancel: () => void
  fire: () => void
}

/**
 * Timers of a clock that can be moved.
 * @param now the time of that clock
 * @param wait calls `fire` after a delay and returns a function that cancels it
 */
export function createMovableTimers(
  now: () => Millis,
  wait: Clock['after'],
): {
  after: Clock['after']
  /** Call after the clock was moved: fires the timers that are due, and restarts the others. */
  follow(): void
} {
  const timers = new Set<Timer>()

  function start(timer: Timer): void {
    timer.cancel()
    timer.cancel = wait(timer.at - now(), timer.fire)
  }

  return {
    after(delay, fire) {
      const timer: Timer = { at: now() + delay, cancel() {}, fire: run }
      function run() {
        if (!timers.delete(timer)) return
        timer.cancel()
        fire()
      }
      timers.add(timer)
      start(timer)
      return () => {
        timers.delete(timer)
        timer.cancel()
      }
    },
    follow() {
      for (const timer of [...timers]) {
        if (timer.at <= now()) timer.fire()
        else if (timers.has(timer)) start(timer)
      }
    },
  }
}
