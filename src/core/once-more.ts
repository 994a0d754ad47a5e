import { type BatcherOptions, createBatcher } from './batcher.ts'

/** Work that runs one at a time. A request during a run is answered by one further run. */
export interface OnceMore {
  /**
   * Asks for a run: it begins in the same turn, or after the one under way. Several requests until then share one run.
   * @returns resolves when that run has ended @throws what the run throws
   */
  ask(): Promise<void>
  /** Resolves when no run is under way or asked for. */
  idle(): Promise<void>
}

/** @param work does not throw where callers ignore the promise of `ask` @param options `pace` is awaited before each run */
export function createOnceMore(
  work: () => Promise<void>,
  options: Pick<BatcherOptions<true>, 'pace'> = {},
): OnceMore {
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
