import type { Clock, Millis } from './clock.ts'

/** A clock that runs ahead of the machine's, by as much as it is told: for trials, never in production. */
export interface DevClock extends Clock {
  /** How far ahead it is. */
  ahead(): Millis
  /** Sets how far ahead it is; timers that are due by then fire at once. It never goes back. */
  setAhead(ahead: Millis): void
}

interface Timer {
  at: Millis
  cancel: () => void
  fire: () => void
}

export function createDevClock(base: Clock): DevClock {
  let ahead = 0
  const timers = new Set<Timer>()
  const now = () => base.now() + ahead

  function wind(timer: Timer): void {
    timer.cancel()
    timer.cancel = base.after(timer.at - now(), timer.fire)
  }

  return {
    now,
    real: () => base.now(),
    ahead: () => ahead,
    after(delay, fire) {
      const timer: Timer = { at: now() + delay, cancel() {}, fire: run }
      function run() {
        if (!timers.delete(timer)) return
        timer.cancel()
        fire()
      }
      timers.add(timer)
      wind(timer)
      return () => {
        timers.delete(timer)
        timer.cancel()
      }
    },
    setAhead(next) {
      if (next <= ahead) return
      ahead = next
      // Those whose moment has come fire in a turn of the event loop, by a wait of nothing.
      for (const timer of [...timers]) wind(timer)
    },
  }
}
