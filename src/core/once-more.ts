import { type BatcherOptions, createBatcher } from './batcher.ts'

/** Work that is done one at a time, and once more where it was asked for meanwhile. */
export interface OnceMore {
  /** Has the work done: at once, or after the one under way, however often it is asked for until then. */
  ask(): void
  /** Resolves when the work is neither under way nor asked for. */
  idle(): Promise<void>
}

/** @param work does not throw @param options what is awaited before each time */
export function createOnceMore(
  work: () => Promise<void>,
  options: Pick<BatcherOptions<true>, 'pace'> = {},
): OnceMore {
  const times = createBatcher<true>(async (take) => {
    take()
    await work()
    return undefined
  }, options)
  return {
    ask() {
      if (times.waiting === 0) void times.add(true)
    },
    idle: times.idle,
  }
}
