/** Work that nobody waits for until the end. */
export interface UnderWay {
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
  const all = new Set<Promise<void>>()
  return {
    track(work) {
      const tracked: Promise<void> = work
        .catch((error: unknown) => log.error({ err: error }, name))
        .finally(() => all.delete(tracked))
      all.add(tracked)
    },
    async ended() {
      while (all.size > 0) await Promise.all(all)
    },
  }
}
