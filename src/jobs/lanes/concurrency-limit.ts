import { MINUTE, type Millis } from '../../core/clock.ts'

/**
 * The concurrency limit of a destination: additive increase, multiplicative decrease. It grows by one with each answer up to twice the
 * usual latency where at least half of it is in use, falls slowly from four times on, and is halved by a failure (decisions: webhooks, in flight).
 */
export interface ConcurrencyLimit {
  /** Attempts at once, at least 1; a fraction of one is kept for the next step. */
  readonly limit: number
  /** Answers whose latency has been counted. */
  readonly answers: number
  /** Logarithms of milliseconds: the mean latency of recent answers, and of answers under light load. */
  readonly recent: number
  readonly usual: number
  /** When answers began to take longer than usual. */
  readonly slowSince: Millis | undefined
  /** When it was last halved or reset. Attempts in flight at that moment do not lower it again, and their latencies show the earlier load. */
  readonly loweredAt: Millis
}

/** Attempts at once with which every webhook begins. */
export const FIRST_LIMIT = 4

/** Shorter latencies count as this one: their differences are as much this process's as the destination's. */
const QUICK: Millis = 25
/** The recent latency is a mean of at least this many answers. */
const RECENT = 16
/** The usual latency falls to the recent one in this many steps, so that a few quick answers do not set it. */
const STEPS = 8
/** The limit grows up to twice the usual latency … */
const TWICE = Math.log(2)
/** … and falls by this much for each answer from four times on. */
const [FOUR_TIMES, FALL] = [Math.log(4), 1 / 4]
/** After this long with slow answers the limit is reset, so that the usual latency is measured under light load. */
const LONGEST_SLOW: Millis = MINUTE

/** A limit without known latencies. */
export function limitOf(limit: number): ConcurrencyLimit {
  return {
    limit: Math.max(1, limit),
    ...{ answers: 0, recent: 0, usual: 0, slowSince: undefined, loweredAt: Number.NEGATIVE_INFINITY },
  }
}

/** An attempt that has ended. */
export interface Answer {
  /** Whether the destination accepted the attempt or refused it for good. */
  isReachable: boolean
  durationMs: number
  startedAt: Millis
  now: Millis
  /** Attempts in flight, this one included. */
  inFlight: number
}

/** The limit after an attempt: at least 1, at most `cap`. */
export function limitAfter(before: ConcurrencyLimit, answer: Answer, cap: number): ConcurrencyLimit {
  const after = changed(before, answer)
  return { ...after, limit: Math.min(Math.max(1, after.limit), cap) }
}

function changed(before: ConcurrencyLimit, answer: Answer): ConcurrencyLimit {
  const { isReachable, durationMs, startedAt, now, inFlight } = answer
  // After the clock was set back, `loweredAt` may lie ahead of now and is ignored.
  const wasInFlight = startedAt < before.loweredAt && before.loweredAt <= now
  if (wasInFlight && (!isReachable || before.answers === 0)) return before
  if (!isReachable) return { ...before, limit: before.limit / 2, loweredAt: now }
  const latency = Math.log(Math.max(QUICK, durationMs))
  const answers = before.answers + 1
  // A mean of the first answers, then a moving average. The usual latency only falls.
  const weight = Math.max(1 / answers, 2 / (Math.max(RECENT, before.limit) + 1))
  const recent = before.recent + (latency - before.recent) * weight
  const usual = answers <= RECENT ? recent : before.usual + Math.min(0, recent - before.usual) / STEPS
  const after = { ...before, answers, recent, usual }
  if (recent - usual <= TWICE) {
    // An answer under light load does not show that the destination takes more.
    const isUsed = 2 * inFlight >= Math.floor(before.limit)
    return { ...after, slowSince: undefined, limit: before.limit + (isUsed ? 1 : 0) }
  }
  const slowSince = Math.min(before.slowSince ?? now, now)
  if (now - slowSince >= LONGEST_SLOW)
    return { ...limitOf(Math.min(before.limit, FIRST_LIMIT)), loweredAt: now }
  const fall = recent - usual > FOUR_TIMES ? Math.min(FALL, Math.max(0, before.limit - FIRST_LIMIT)) : 0
  return { ...after, slowSince, limit: before.limit - fall }
}
