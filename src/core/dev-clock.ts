import type { Clock, Millis } from './clock.ts'

/** A clock that runs ahead of the machine's, by as much as it is told: for trials, never in production. */
export interface DevClock extends Clock {
  /** How far ahead it is. */
  ahead(): Millis
  /** Sets how far ahead it is; timers that are due by then fire at once. It never goes back. */
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
 * Timers of a clock that is moved.
 * @param now the time of that clock
 * @param wait calls `fire` after a delay. @returns what cancels that
 */
export function createMovableTimers(
  now: () => Millis,
  wait: Clock['after'],
): {
  after: Clock['after']
  /** Follows a move of the clock: fires the timers that are due, and waits anew for the others. */
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
