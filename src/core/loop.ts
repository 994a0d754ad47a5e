import type { Clock, Millis } from './clock.ts'
import { createCoalescedRuns } from './coalesced-runs.ts'

/** Work that runs at intervals and on request, one run at a time. */
export interface Loop {
  /** Begins the first run, which also serves earlier calls of `wake`. */
  start(): void
  /** Requests a run after `delay`, in milliseconds. Where a run is active then, another one follows it. */
  wake(delay?: Millis): void
  /** Begins no further run, and asks the current one to end early. Resolves when it has ended. */
  stop(): Promise<void>
}

interface LoopDeps {
  clock: Clock
  /** The longest time between the beginnings of two runs. A run that takes longer is followed by the next at once. */
  every: Millis
  /** The delay of the first run; 0 by default. */
  first?: Millis
  /** One run, which should end early once `isOver` returns true. Its error is logged, and the next run begins on schedule. */
  run: (isOver: () => boolean) => Promise<void>
  log: { error(data: object, message: string): void }
  /** The message of a logged error. */
  name: string
}

export function createLoop({ clock, every, first = 0, run, log, name }: LoopDeps): Loop {
  let state: 'new' | 'running' | 'over' = 'new'
  /** Cancels the next scheduled run. */
  let cancelRegular = () => {}
  let woken: { at: Millis; cancel: () => void } | undefined

  const isOver = () => state === 'over'
  const runs = createCoalescedRuns(async () => {
    if (!isOver()) await run(isOver).catch((error: unknown) => log.error({ err: error }, name))
  })

  function disarm(): void {
    cancelRegular()
    woken?.cancel()
    woken = undefined
  }

  function begin(): void {
    disarm()
    if (isOver()) return
    cancelRegular = clock.after(every, begin)
    void runs.ask()
  }

  /** Of two delayed wakes the earlier one is kept. */
  function beginAfter(delay: Millis): void {
    const at = clock.now() + delay
    if (woken !== undefined && woken.at <= at) return
    woken?.cancel()
    woken = { at, cancel: clock.after(delay, begin) }
  }

  return {
    start() {
      if (state !== 'new') return
      state = 'running'
      cancelRegular = clock.after(first, begin)
    },
    wake(delay = 0) {
      if (state !== 'running') return
      if (delay > 0) beginAfter(delay)
      else begin()
    },
    async stop() {
      state = 'over'
      disarm()
      await runs.idle()
    },
  }
}
