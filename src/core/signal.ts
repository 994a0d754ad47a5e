/** Says that there is work to be done. */
export interface Signal {
  raise(): void
  /** Who does the work in this process; one alone. */
  listen(listener: () => void): void
}

/** @param elsewhere is told where nobody in this process listens: then another one does the work */
export function createSignal(elsewhere: () => void): Signal {
  let listener = elsewhere
  return {
    raise: () => listener(),
    listen(one) {
      listener = one
    },
  }
}
