/** Wakes the one that does some work. */
export interface Signal {
  wake(): void
  /** Sets the only listener of this process, which does the work. */
  listen(listener: () => void): void
}

/** @param elsewhere called where this process has no listener, so that another process does the work */
export function createSignal(elsewhere: () => void): Signal {
  let listener = elsewhere
  return {
    wake: () => listener(),
    listen(one) {
      listener = one
    },
  }
}
