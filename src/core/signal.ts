/** Wakes the listener that does some work. */
export interface Signal {
  wake(): void
  /** Sets the only listener of this process. */
  listen(listener: () => void): void
}

/** @param elsewhere called while this process has no listener, to wake another process */
export function createSignal(elsewhere: () => void): Signal {
  let listener = elsewhere
  return {
    wake: () => listener(),
    listen(one) {
      listener = one
    },
  }
}
