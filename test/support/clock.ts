import { type Clock, type Millis, systemClock } from '#src/core/clock.ts'
import { createMovableTimers } from '#src/core/dev-clock.ts'
import { newId, TOLERATED_SETBACK } from '#src/core/id.ts'

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

export function testClock(): TestClock {
  followBack()
  let offset = 0
  let stoppedAt: Millis | undefined
  const now = () => (stoppedAt ?? systemClock.now()) + offset
  const timers = createMovableTimers(now, (left, fire) =>
    stoppedAt === undefined || left <= 0 ? systemClock.after(left, fire) : () => {},
  )

  const clock: TestClock = {
    now,
    after: timers.after,
    advance(delay) {
      offset += delay
      timers.follow()
    },
    setBack(by) {
      clock.advance(-by)
      return { [Symbol.dispose]: () => clock.advance(by) }
    },
    stop() {
      stoppedAt = systemClock.now()
      timers.follow()
      return {
        [Symbol.dispose]() {
          offset += Number(stoppedAt) - systemClock.now()
          stoppedAt = undefined
          timers.follow()
        },
      }
    },
  }
  return clock
}

/**
 * Lets the identifiers of this process follow a new clock. They stay ahead of a clock that is set back by up to `TOLERATED_SETBACK`, as one is
 * that begins after another was moved forward; a clock that is set back further is followed.
 */
function followBack(): void {
  newId('request', systemClock.now() - 2 * TOLERATED_SETBACK)
}

/** A clock that only `advance` moves, for tests that count seconds. */
export function stoppedClock(): TestClock {
  const clock = testClock()
  clock.stop()
  return clock
}
