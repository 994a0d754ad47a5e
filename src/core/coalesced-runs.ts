import { type BatcherOptions, createBatcher } from './batcher.ts'

/** Runs one piece of work, never concurrently. All requests that arrive during a run share the next run. */
export interface CoalescedRuns {
  /**
   * Requests a run. It begins in the same turn of the event loop, or after the current run.
   * @returns resolves when that run has ended @throws the error of the run
   */
  ask(): Promise<void>
  /** Resolves when no run is active or requested. */
  idle(): Promise<void>
}

/** @param work must not throw where callers ignore the promise of `ask` @param options `pace` is awaited before each run */
export function createCoalescedRuns(
  work: () => Promise<void>,
  options: Pick<BatcherOptions<true>, 'pace'> = {},
): CoalescedRuns {
  const times = createBatcher<true>(async (take) => {
    take()
    await work()
    return undefined
  }, options)
  let next = Promise.resolve()
  return {
    ask() {
      if (times.waiting === 0) next = times.add(true)
      return next
    },
    idle: times.idle,
  }
}
