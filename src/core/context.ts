import { AsyncLocalStorage } from 'node:async_hooks'
import type { ActiveSpan } from './span-context.ts'

/** The owner of asynchronous work, such as an organization, while the work runs. */
interface OwnerScope {
  readonly name: string | undefined
  /** The span of the work; undefined where it is not traced. */
  readonly cause: ActiveSpan | undefined
  /** Whether a part of the work was committed. */
  hasWritten: boolean
  /** Set when the work has ended: timers and loops that it began then have no owner. */
  isOver: boolean
}

/** Work whose reads go to a standby. */
interface StandbyScope {
  /** The period of use of the host that may answer; undefined where there is one host. */
  readonly host: object | undefined
  /** Set when the work has ended: timers and loops that it began read from the primary then. */
  isOver: boolean
}

/** The asynchronous context of the current work. */
interface Context {
  readonly behalf?: OwnerScope | undefined
  readonly isInTransaction?: true
  readonly isRepeatable?: true
  readonly interruption?: AbortSignal | undefined
  readonly standby?: StandbyScope | undefined
}

const context = new AsyncLocalStorage<Context>()

function within<T>(change: Context, work: () => T): T {
  return context.run({ ...context.getStore(), ...change }, work)
}

/**
 * Runs `work` for an owner, which gets its fair share of connections and other common resources.
 * @param name an organization, or another external caller; undefined for work that needs no share
 * @param cause the span of the work; by default that of the surrounding work
 */
export function runForOwner<T>(
  name: string | undefined,
  work: () => T,
  { cause }: { cause: ActiveSpan | undefined } = { cause: currentSpan() },
): T {
  const behalf = { name, cause, hasWritten: false, isOver: false }
  return endingWith(within({ behalf }, work), behalf)
}

/** Ends a scope with the work that gives `result`. */
function endingWith<T>(result: T, scope: { isOver: boolean }): T {
  if (result instanceof Promise) {
    const end = () => {
      scope.isOver = true
    }
    result.then(end, end)
  }
  return result
}

/**
 * Runs `work` that several callers share: without an owner, without the interruption of the caller that begins it, and never on a
 * standby.
 */
export function runWithoutOwner<T>(work: () => T): T {
  const { behalf, interruption, standby } = context.getStore() ?? {}
  if (behalf === undefined && interruption === undefined && standby === undefined) return work()
  return within({ behalf: undefined, interruption: undefined, standby: undefined }, work)
}

/** @returns the owner of the current work; undefined where it has none */
export function currentOwner(): string | undefined {
  const behalf = context.getStore()?.behalf
  return behalf === undefined || behalf.isOver ? undefined : behalf.name
}

/** @returns the span of the current request or run; undefined where it is not traced */
export function currentSpan(): ActiveSpan | undefined {
  const behalf = context.getStore()?.behalf
  return behalf === undefined || behalf.isOver ? undefined : behalf.cause
}

/** Binds `work` to the span of the caller, so that it keeps that span when other code starts it. */
export function withCurrentSpan<Given, Result>(work: (given: Given) => Result): (given: Given) => Result {
  const cause = currentSpan()
  return cause === undefined ? work : (given) => runForOwner(currentOwner(), () => work(given), { cause })
}

/**
 * Runs `work` whose commits a repetition of the owner's work may make again without harm, such as the count of a request: they do not
 * count as written.
 */
export function repeatable<T>(work: () => T): T {
  return within({ isRepeatable: true }, work)
}

/** Records that a part of the owner's current work was committed, except in `repeatable` work. */
export function noteWritten(): void {
  const { behalf, isRepeatable = false } = context.getStore() ?? {}
  if (behalf !== undefined && !isRepeatable) behalf.hasWritten = true
}

/** Whether a part of the current work was committed: a repetition would do that part twice. */
export function hasWritten(): boolean {
  return context.getStore()?.behalf?.hasWritten ?? false
}

/** Marks `work` as running inside a transaction. */
export function insideTransaction<T>(work: () => Promise<T>): Promise<T> {
  return within({ isInTransaction: true }, work)
}

export function isInsideTransaction(): boolean {
  return context.getStore()?.isInTransaction ?? false
}

/**
 * Runs `work` so that an abort of `signal` ends its statements at once: on PostgreSQL the connection is cut, the statement fails and
 * its transaction is rolled back. Only for work that may be repeated at any time.
 */
export function interruptible<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return within({ interruption: signal }, work)
}

/**
 * Runs `work` so that requests' reads go to the standby of the database, until it ends; transactions do not (`onPrimary`).
 * @param host the period of use of the only host that may answer; undefined where there is one host
 */
export function onStandby<T>(work: () => T, host?: object): T {
  const standby = { isOver: false, host }
  return endingWith(within({ standby }, work), standby)
}

/** Runs `work` on the primary, also within `onStandby`. */
export function onPrimary<T>(work: () => T): T {
  return isOnStandby() ? within({ standby: undefined }, work) : work()
}

/** Whether the current read may go to a standby. */
export function isOnStandby(): boolean {
  return context.getStore()?.standby?.isOver === false
}

/** @returns the host that `onStandby` was given */
export function standbyHost(): object | undefined {
  return context.getStore()?.standby?.host
}

/** @returns the signal that interrupts the current statement; undefined where none does */
export function currentInterruption(): AbortSignal | undefined {
  return context.getStore()?.interruption
}
