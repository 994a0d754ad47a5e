/** A moment as integer milliseconds since the Unix epoch: in columns, in arithmetic, everywhere but on the wire. */
export type Millis = number

export const SECOND: Millis = 1_000
export const MINUTE: Millis = 60 * SECOND
export const HOUR: Millis = 60 * MINUTE
export const DAY: Millis = 24 * HOUR

/**
 * Clocks of the processes on one database differ by at most this. A clock may also run ahead and be set back, by any amount. The rule
 * for all stored and remembered moments: one that lies further ahead than its kind is ever written was written by a wrong clock and
 * counts as now, so that nothing waits for it (`plausible` here, `db/plausible-time.ts` in statements). Durations are measured by `stopwatch`.
 */
export const SKEW: Millis = 10 * SECOND

/**
 * A moment for which something waits, or `now` where it lies further ahead than its kind allows.
 * @param longest how far ahead the kind is ever stored
 */
export function plausible(moment: Millis, now: Millis, longest: Millis): Millis {
  return moment > now + longest + SKEW ? now : moment
}

/** The earlier of two ends; null: never. */
export function earlier(one: Millis | null, other: Millis | null): Millis | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other)
}

/** What the program needs of time. Tests and the simulator bring their own. */
export interface Clock {
  /** The present moment. */
  now(): Millis
  /** Calls `fire` once, `delay` milliseconds from now; the answer cancels it. A timer never keeps the process alive. */
  after(delay: Millis, fire: () => void): () => void
  /** The machine's moment, where the clock was moved for a trial. */
  real?(): Millis
}

/** The moment that others compare with their own clocks. */
export const realTime = (clock: Clock): Millis => clock.real?.() ?? clock.now()

/** The longest wait a Node timer can hold; a later moment is reached in several waits. */
const LONGEST_TIMER: Millis = 2 ** 31 - 1

/** The machine's own clock: the only place where the program reads the time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delay, fire) {
    const timer = setTimeout(fire, Math.min(Math.max(delay, 0), LONGEST_TIMER))
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** A duration in milliseconds with its fraction, for measuring; never for deciding what is due. */
export function stopwatch(): () => number {
  const start = performance.now()
  return () => performance.now() - start
}

/** What this thread computes from here on, in milliseconds: a machine that is busy with something else changes it little. */
export function cpuStopwatch(): () => number {
  const start = process.threadCpuUsage()
  return () => {
    const { user, system } = process.threadCpuUsage(start)
    return (user + system) / 1_000
  }
}

/**
 * How much the process has worked since this call, all of its threads together: 1 is one processor. That others keep the machine
 * busy does not change it.
 */
export function loadMeter(): () => number {
  const [elapsed, before] = [stopwatch(), process.cpuUsage()]
  return () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000 / elapsed()
  }
}

/** Calls `work` each time that `interval` has passed, until the answer is called. */
export function repeat(clock: Clock, interval: Millis, work: () => void): () => void {
  let isOver = false
  let cancel = clock.after(interval, tick)
  function tick() {
    work()
    if (!isOver) cancel = clock.after(interval, tick)
  }
  return () => {
    isOver = true
    cancel()
  }
}

/** A moment's rest of work under way: unlike a `Clock`'s timer it keeps the process alive, because work follows it. A signal ends it. */
export function pause(delay: Millis, signal?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, signal?.aborted === true ? 0 : delay)
  const end = () => resolve()
  signal?.addEventListener('abort', end, { once: true })
  return promise.finally(() => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
  })
}

/** What `work` resolves to. @throws Error when that takes longer than `patience`; the work itself continues */
export async function within<T>(patience: Millis, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new Error(`it has not ended in ${patience / SECOND} s`)),
    patience,
  )
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** One turn of the event loop, in which all others have theirs. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** How long work of many pieces may hold the thread before other work has a turn. */
const LONGEST_STRETCH: Millis = 1

/** @returns to be called between two pieces of work: it waits for a turn of the event loop once the pieces since the last took `LONGEST_STRETCH` */
export function createYielder(): () => Promise<void> {
  let elapsed = stopwatch()
  return async () => {
    if (elapsed() < LONGEST_STRETCH) return
    await turn()
    elapsed = stopwatch()
  }
}

/** Waits on `clock`; ends early, without an error, when `signal` aborts. */
export function sleep(clock: Clock, delay: Millis, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const cancel = clock.after(delay, done)
    function done() {
      signal?.removeEventListener('abort', done)
      cancel()
      resolve()
    }
    signal?.addEventListener('abort', done, { once: true })
  })
}

/** A moment as it stands on the wire: ISO 8601, UTC, milliseconds (specification 2). */
export function toIso(moment: Millis): string {
  return new Date(moment).toISOString()
}

/** As `toIso`, for a moment that may not have come. */
export function toIsoOrNull(moment: Millis | null): string | null {
  return moment === null ? null : toIso(moment)
}

/** Reads an ISO 8601 moment; undefined when the text is none, or names a day that there is not. */
export function fromIso(text: string): Millis | undefined {
  const moment = Date.parse(text)
  if (Number.isNaN(moment)) return undefined
  const [, month, day] = /^\d{4}-(\d\d)-(\d\d)T/.exec(text) ?? []
  const isDay = month === undefined || new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDate() === Number(day)
  return isDay ? moment : undefined
}

/** The `Date` that libraries ask for. */
export function toDate(moment: Millis): Date {
  return new Date(moment)
}
