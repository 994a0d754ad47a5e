/** Tasks that no caller awaits. */
interface BackgroundTasks {
  /** Counts the task until it ends, and logs its error. */
  track(work: Promise<void>): void
  /** Resolves when no task is running, including tasks that begin during the wait. */
  ended(): Promise<void>
}

interface Log {
  error(data: object, message: string): void
}

/** @param name the message of a logged error */
export function createBackgroundTasks(log: Log, name: string): BackgroundTasks {
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
      void work.catch((error: unknown) => log.error({ err: error }, name)).then(end)
    },
    async ended() {
      while (count > 0) await none.promise
    },
  }
}
