/** Work that nobody waits for until the end. */
interface UnderWay {
  /** Keeps an eye on it: what goes wrong with it is logged. */
  track(work: Promise<void>): void
  /** Resolves when none is left, what was begun meanwhile included. */
  ended(): Promise<void>
}

interface Log {
  error(data: object, message: string): void
}

/** @param name what the log calls it */
export function createUnderWay(log: Log, name: string): UnderWay {
  let count = 0
  let none = Promise.withResolvers<void>()
  function end(): void {
    count -= 1
    if (count > 0) return
    none.resolve()
    none = Promise.withResolvers()
  }
  return {
    track(work) {
      count += 1
      void work.catch((error: unknown) => log.error({ err: error }, name)).finally(end)
    },
    async ended() {
      while (count > 0) await none.promise
    },
  }
}
