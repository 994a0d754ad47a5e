import { AsyncLocalStorage } from 'node:async_hooks'

const interruption = new AsyncLocalStorage<AbortSignal>()

/**
 * Once `signal` aborts, nobody waits any longer for a statement of `work`: where the engine has it run elsewhere, its
 * connection is cut, so that it fails at once and its transaction is undone. For what may be done again at any time.
 */
export function interruptible<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return interruption.run(signal, work)
}

/** What `work` does is for whoever needs it next, and not cut off with who happens to begin it. */
export function uninterrupted<T>(work: () => T): T {
  return interruption.exit(work)
}

/** What interrupts the statement that is about to be made; undefined where nothing does. */
export function interruptionOf(): AbortSignal | undefined {
  return interruption.getStore()
}
