import { type Clock, type Millis, repeat } from './clock.ts'

/** Where requests wait until a stored thing is as they want it. */
interface Waits<Name> {
  /**
   * Reads the thing now, after each `tell` of its name, and at every poll: a notification of another process may be lost. A read
   * that fails is made again, unless it is the last one.
   * @param patience how long it waits, in milliseconds
   * @returns the value read last: the first one that `isReady` accepts, else the one at the end of `patience` or at `stop`
   * @throws what the last read throws
   */
  until<T>(name: Name, patience: Millis, read: () => Promise<T>, isReady: (value: T) => boolean): Promise<T>
  /** The thing of this name has changed; without a name, any of them may have. */
  tell(name?: Name): void
  /** Ends each wait with one last read. */
  stop(): void
}

/** @param poll a wait reads again after this time without a `tell`, in milliseconds */
export function createWaits<Name>(clock: Clock, poll: Millis): Waits<Name> {
  const waiting = new Map<Name, Set<() => void>>()
  let isOver = false

  function tell(name?: Name): void {
    const some = name === undefined ? [...waiting.values()] : [waiting.get(name) ?? []]
    for (const wakes of some) for (const wake of [...wakes]) wake()
  }

  return {
    async until(name, patience, read, isReady) {
      let changed = Promise.withResolvers<void>()
      let isLate = patience <= 0
      const wake = () => changed.resolve()
      const wakes = waiting.get(name) ?? new Set()
      waiting.set(name, wakes.add(wake))
      const cancels = [
        repeat(clock, poll, wake),
        clock.after(patience, () => {
          isLate = true
          wake()
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
        wakes.delete(wake)
        if (wakes.size === 0 && waiting.get(name) === wakes) waiting.delete(name)
      }
    },
    tell,
    stop() {
      isOver = true
      tell()
    },
  }
}
