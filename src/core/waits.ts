import { type Clock, type Millis, repeat } from './clock.ts'

/** Where requests wait until a stored thing is as they want it. */
interface Waits<Name> {
  /**
   * Reads the thing now, after each `wake` of its name, and at every poll: a notification of another process may be lost. A read
   * that fails is made again, unless it is the last one.
   * @param patience how long it waits, in milliseconds
   * @returns the value read last: the first one that `isReady` accepts, else the one at the end of `patience` or at `stop`
   * @throws what the last read throws
   */
  until<T>(name: Name, patience: Millis, read: () => Promise<T>, isReady: (value: T) => boolean): Promise<T>
  /** The thing of this name has changed; without a name, any of them may have. */
  wake(name?: Name): void
  /** Ends each wait with one last read. */
  stop(): void
}

/** @param poll a wait reads again after this time without a `wake`, in milliseconds */
export function createWaits<Name>(clock: Clock, poll: Millis): Waits<Name> {
  const waiting = new Map<Name, Set<() => void>>()
  let isOver = false

  function wake(name?: Name): void {
    const some = name === undefined ? [...waiting.values()] : [waiting.get(name) ?? []]
    for (const resumes of some) for (const resume of [...resumes]) resume()
  }

  return {
    async until(name, patience, read, isReady) {
      let changed = Promise.withResolvers<void>()
      let isLate = patience <= 0
      const resume = () => changed.resolve()
      const resumes = waiting.get(name) ?? new Set()
      waiting.set(name, resumes.add(resume))
      const cancels = [
        repeat(clock, poll, resume),
        clock.after(patience, () => {
          isLate = true
          resume()
        }),
      ]
      try {
        for (;;) {
          // Made before the read, so that a change during the read is not missed.
          changed = Promise.withResolvers()
          const isLast = isLate || isOver
          try {
            const value = await read()
            if (isLast || isReady(value)) return value
          } catch (error) {
            if (isLast) throw error
          }
          await changed.promise
        }
      } finally {
        for (const cancel of cancels) cancel()
        resumes.delete(resume)
        if (resumes.size === 0 && waiting.get(name) === resumes) waiting.delete(name)
      }
    },
    wake,
    stop() {
      isOver = true
      wake()
    },
  }
}
