import { type Clock, type Millis, repeat } from './clock.ts'

/** Requests that wait for a condition on stored data, such as long polls. */
interface Waits<Name> {
  /**
   * Reads now, after each `wake` of the name, and at every poll, because a notification of another process may be lost. A failed read
   * is repeated, unless it is the last one.
   * @param patience the longest wait, in milliseconds
   * @returns the first value that `isReady` accepts, else the value read at the end of `patience` or at `stop`
   * @throws the error of the last read
   */
  until<T>(name: Name, patience: Millis, read: () => Promise<T>, isReady: (value: T) => boolean): Promise<T>
  /** Reports a change of the named data; without a name, of any data. */
  wake(name?: Name): void
  /** Ends each wait with one last read. */
  stop(): void
}

/** @param poll a wait reads at least this often, in milliseconds */
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
          // Created before the read, so that a change during the read is not missed.
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
