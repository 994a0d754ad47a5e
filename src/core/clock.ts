import type { Worker } from 'node:worker_threads'

/** A moment as integer milliseconds since the Unix epoch, or a duration in milliseconds. The API uses ISO 8601 instead. */
export type Millis = number

export const SECOND: Millis = 1_000
export const MINUTE: Millis = 60 * SECOND
export const HOUR: Millis = 60 * MINUTE
export const DAY: Millis = 24 * HOUR

/**
 * Clocks of the processes on one database differ by at most this. A clock may also be wrong by any amount and be set back. So a
 * stored moment that is further ahead than its kind allows counts as now, and nothing waits for it (`plausible` here,
 * `db/plausible-time.ts` in SQL). Durations are measured by `stopwatch`.
 */
export const SKEW: Millis = 10 * SECOND

/**
 * Protects waits from a moment that a wrong clock wrote.
 * @param longest how far ahead a moment of this kind may be
 * @returns the moment, or `now` where it is further ahead
 */
export function plausible(moment: Millis, now: Millis, longest: Millis): Millis {
  return moment > now + longest + SKEW ? now : moment
}

/** The earlier of two ends; null means never. */
export function earlier(one: Millis | null, other: Millis | null): Millis | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other)
}

/** The program's source of time. Tests and the simulator pass their own. */
export interface Clock {
  /** The present moment. */
  now(): Millis
  /** Calls `fire` once after `delay` milliseconds. The timer does not keep the process alive. @returns cancels it */
  after(delay: Millis, fire: () => void): () => void
  /** The real time, where the clock was moved for a trial. */
  real?(): Millis
}

/** The real time, for values that other programs compare with their own clocks. */
export const realTime = (clock: Clock): Millis => clock.real?.() ?? clock.now()

/** The longest delay of a Node timer. */
const LONGEST_TIMER: Millis = 2 ** 31 - 1

/** The machine's clock: the only place where the program reads the time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delay, fire) {
    const timer = setTimeout(fire, Math.min(Math.max(delay, 0), LONGEST_TIMER))
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** Measures the milliseconds since the call, with fractions, by a monotonic clock. */
export function stopwatch(): () => number {
  const start = performance.now()
  return () => performance.now() - start
}

/** Measures the processor time of this thread since the call, in milliseconds. The load of other processes changes it little. */
export function cpuStopwatch(): () => number {
  const start = process.threadCpuUsage()
  return () => {
    const { user, system } = process.threadCpuUsage(start)
    return (user + system) / 1_000
  }
}

/** Measures the load of this process since the call, all threads together: 1 is one busy processor. */
export function loadMeter(): () => number {
  const [elapsed, before] = [stopwatch(), process.cpuUsage()]
  return () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000 / elapsed()
  }
}

/** How long the event loop of a thread has been busy since its start, in milliseconds. */
export function busyTime({ performance: measured }: Pick<Worker, 'performance'>): number {
  return measured.eventLoopUtilization().active
}

/** Calls `work` after each `interval`. @returns stops it */
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

/** Waits in real time. Unlike a timer of a `Clock` it keeps the process alive, because work follows. An abort of `signal` ends the wait. */
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

/** @returns the result of `work` @throws Error when it takes longer than `patience`; the work itself continues */
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

/** Resolves in the next turn of the event loop, so that other work runs first. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** How long work in many pieces may block the event loop. */
const LONGEST_STRETCH: Millis = 1

/** @returns a function to call between pieces of work: it yields to the event loop once they took `LONGEST_STRETCH` since the last yield */
export function createYielder(): () => Promise<void> {
  let elapsed = stopwatch()
  return async () => {
    if (elapsed() < LONGEST_STRETCH) return
    await turn()
    elapsed = stopwatch()
  }
}

/** Waits by `clock`; an abort of `signal` ends the wait without an error. */
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

/** A moment in the form of the API: ISO 8601, UTC, milliseconds (specification 2). */
export function toIso(moment: Millis): string {
  return new Date(moment).toISOString()
}

/** As `toIso`, for a moment that may be unset. */
export function toIsoOrNull(moment: Millis | null): string | null {
  return moment === null ? null : toIso(moment)
}

/** Reads an ISO 8601 moment; undefined when the text is none, or names a day that does not exist. */
export function fromIso(text: string): Millis | undefined {
  const moment = Date.parse(text)
  if (Number.isNaN(moment)) return undefined
  const [, month, day] = /^\d{4}-(\d\d)-(\d\d)T/.exec(text) ?? []
  const isDay = month === undefined || new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDate() === Number(day)
  return isDay ? moment : undefined
}

/** A `Date` for libraries that take one. */
export function toDate(moment: Millis): Date {
  return new Date(moment)
}
