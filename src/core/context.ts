import { AsyncLocalStorage } from 'node:async_hooks'
import type { ActiveSpan } from './span-context.ts'

/** An owner, while something is done on its behalf. */
interface OwnerScope {
  readonly name: string | undefined
  /** The span of the work; undefined where it is not traced. */
  readonly cause: ActiveSpan | undefined
  /** Whether any of it has been committed. */
  hasWritten: boolean
  /** Timers and loops that the work has begun may outlive it; they have no owner then. */
  isOver: boolean
}

/** What is known of the work under way, however deep in it a question is asked. */
interface Context {
  readonly behalf?: OwnerScope | undefined
  readonly isInTransaction?: true
  readonly interruption?: AbortSignal | undefined
}

const context = new AsyncLocalStorage<Context>()

function within<T>(change: Context, work: () => T): T {
  return context.run({ ...context.getStore(), ...change }, work)
}

/**
 * Does `work` on behalf of an owner, which then takes no more than its share of what all use.
 * @param name an organization, or another caller from outside; undefined where others need no protection from it
 * @param traced the span that the work is, or none; unless given, that of the work around it
 */
export function runForOwner<T>(
  name: string | undefined,
  work: () => T,
  { cause }: { cause: ActiveSpan | undefined } = { cause: currentSpan() },
): T {
  const behalf = { name, cause, hasWritten: false, isOver: false }
  const result = within({ behalf }, work)
  if (result instanceof Promise) {
    const end = () => {
      behalf.isOver = true
    }
    result.then(end, end)
  }
  return result
}

/** Does `work` for all callers that wait for it: without an owner, and not interrupted with the caller that begins it. */
export function runWithoutOwner<T>(work: () => T): T {
  const { behalf, interruption } = context.getStore() ?? {}
  if (behalf === undefined && interruption === undefined) return work()
  return within({ behalf: undefined, interruption: undefined }, work)
}

/** @returns the owner on whose behalf the caller works; undefined where the work has no owner */
export function currentOwner(): string | undefined {
  const behalf = context.getStore()?.behalf
  return behalf === undefined || behalf.isOver ? undefined : behalf.name
}

/** @returns the span of the request or run that the caller works for; undefined where it is not traced */
export function currentSpan(): ActiveSpan | undefined {
  const behalf = context.getStore()?.behalf
  return behalf === undefined || behalf.isOver ? undefined : behalf.cause
}

/** @returns work that has the span of the caller, whoever begins it */
export function withCurrentSpan<Given, Result>(work: (given: Given) => Result): (given: Given) => Result {
  const cause = currentSpan()
  return cause === undefined ? work : (given) => runForOwner(currentOwner(), () => work(given), { cause })
}

/** Notes that something done on this behalf was committed. */
export function noteWritten(): void {
  const behalf = context.getStore()?.behalf
  if (behalf !== undefined) behalf.hasWritten = true
}

/** Whether something done on this behalf was committed, so that a repetition of the work would do that part twice. */
export function hasWritten(): boolean {
  return context.getStore()?.behalf?.hasWritten ?? false
}

/** Marks everything that `work` does as done inside a transaction. */
export function insideTransaction<T>(work: () => Promise<T>): Promise<T> {
  return within({ isInTransaction: true }, work)
}

export function isInsideTransaction(): boolean {
  return context.getStore()?.isInTransaction ?? false
}

/**
 * Once `signal` aborts, no statement of `work` is waited for: where the engine runs it elsewhere, its connection is cut, so that
 * it fails at once and its transaction is undone. For work that may be done again at any time.
 */
export function interruptible<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return within({ interruption: signal }, work)
}

/** What interrupts the statement that is about to be made; undefined where nothing does. */
export function currentInterruption(): AbortSignal | undefined {
  return context.getStore()?.interruption
}
