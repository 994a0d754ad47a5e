import { type Clock, type Millis, systemClock } from '#src/core/clock.ts'
import { newId, STEADFAST } from '#src/core/id.ts'

/** The machine's clock, moved forward or back by a test. */
export interface TestClock extends Clock {
  /** Moves the clock; timers that are due by then fire at once. */
  advance(delay: Millis): void
  /** Sets the clock back until the answer is disposed of. */
  setBack(by: Millis): Disposable
  /**
   * Time stands still until the answer is disposed of, but for what `advance` adds: for what must not be over yet, however
   * long the machine takes. It does so once, not within itself.
   */
  stop(): Disposable
}

interface Timer {
  at: Millis
  fire: () => void
  cancel: () => void
}

export function testClock(): TestClock {
  followBack()
  let offset = 0
  let stoppedAt: Millis | undefined
  const timers = new Set<Timer>()

  function arm(at: Millis, fire: () => void): () => void {
    const timer: Timer = { at, fire: run, cancel() {} }
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
  }

  /** Has the machine's own timer fire one when its moment comes, as the clock goes now. */
  function wind(timer: Timer): void {
    timer.cancel()
    const left = timer.at - clock.now()
    timer.cancel = stoppedAt === undefined || left <= 0 ? systemClock.after(left, timer.fire) : () => {}
  }

  const clock: TestClock = {
    now: () => (stoppedAt ?? systemClock.now()) + offset,
    after: (delay, fire) => arm(clock.now() + delay, fire),
    advance(delay) {
      offset += delay
      for (const timer of [...timers]) {
        if (timer.at <= clock.now()) timer.fire()
        else wind(timer)
      }
    },
    setBack(by) {
      clock.advance(-by)
      return { [Symbol.dispose]: () => clock.advance(by) }
    },
    stop() {
      stoppedAt = systemClock.now()
      for (const timer of timers) wind(timer)
      return {
        [Symbol.dispose]() {
          offset += Number(stoppedAt) - systemClock.now()
          stoppedAt = undefined
          for (const timer of timers) wind(timer)
        },
      }
    },
  }
  return clock
}

/**
 * Lets the identifiers of this process follow a new clock. They stay ahead of a clock that is set back by up to `STEADFAST`, as one is
 * that begins after another was moved forward; a clock that is set back further is followed.
 */
function followBack(): void {
  newId('request', systemClock.now() - 2 * STEADFAST)
}

/** A clock that only `advance` moves, for tests that count seconds. */
export function stoppedClock(): TestClock {
  const clock = testClock()
  clock.stop()
  return clock
}
