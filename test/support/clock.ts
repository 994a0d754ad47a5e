import { type Clock, type Millis, systemClock } from '#src/core/clock.ts'

/** The machine's clock, moved forward (or back) by as much as the test says. */
export interface TestClock extends Clock {
  /** Moves the clock; timers that are due by then fire at once. */
  advance(delay: Millis): void
}

export function testClock(): TestClock {
  let offset = 0
  const timers = new Set<{ at: Millis; fire: () => void; cancel: () => void }>()

  function arm(at: Millis, fire: () => void): () => void {
    const timer = { at, fire: run, cancel: systemClock.after(at - clock.now(), run) }
    function run() {
      if (!timers.delete(timer)) return
      timer.cancel()
      fire()
    }
    timers.add(timer)
    return () => {
      timers.delete(timer)
      timer.cancel()
    }
  }

  const clock: TestClock = {
    now: () => systemClock.now() + offset,
    after: (delay, fire) => arm(clock.now() + delay, fire),
    advance(delay) {
      offset += delay
      for (const timer of [...timers]) {
        if (timer.at <= clock.now()) timer.fire()
        else {
          // The machine's own timer was set for the moment before the move.
          timer.cancel()
          timer.cancel = systemClock.after(timer.at - clock.now(), timer.fire)
        }
      }
    },
  }
  return clock
}
