/** Says that there is work to be done. */
export interface Signal {
  raise(): void
  /** Sets the only listener of this process, which does the work. */
  listen(listener: () => void): void
}

/** @param elsewhere called where this process has no listener, so that another process does the work */
export function createSignal(elsewhere: () => void): Signal {
  let listener = elsewhere
  return {
    raise: () => listener(),
    listen(one) {
      listener = one
    },
  }
}
