import { MINUTE, type Millis } from '../../core/clock.ts'

/**
 * The concurrency limit of a destination: additive increase, multiplicative decrease. It grows while answers come and take no
 * longer than usual, falls slowly while they take much longer, and is halved by a failure (decisions: webhooks, in flight).
 */
export interface Level {
  /** Attempts at once; a fraction of one is kept for the next step. */
  readonly limit: number
  /** Answers whose latency has been counted. */
  readonly answers: number
  /** Logarithms of milliseconds: the latency of recent answers, and of answers under light load. */
  readonly recent: number
  readonly usual: number
  /** When answers began to take longer than usual. */
  readonly strainedAt: Millis | undefined
  /** When a failure last halved it. Attempts that were under way then show the same trouble. */
  readonly halvedAt: Millis
  /** Answers to attempts that began before this moment are ignored: they queued behind earlier load. */
  readonly learnsFrom: Millis
}

/** Attempts at once with which every webhook begins. */
export const FIRST_LIMIT = 4

export const FIRST_LEVEL: Level = {
  limit: FIRST_LIMIT,
  answers: 0,
  recent: 0,
  usual: 0,
  strainedAt: undefined,
  halvedAt: Number.NEGATIVE_INFINITY,
  learnsFrom: Number.NEGATIVE_INFINITY,
}

/** The level of a lane that is limited by its `cap` alone. */
export const BOUNDLESS: Level = { ...FIRST_LEVEL, limit: Number.POSITIVE_INFINITY }

/** Shorter latencies count as this one: their differences are as much this process's as the destination's. */
const QUICK: Millis = 25
/** The level grows up to twice the usual latency … */
const HOLDS = Math.log(2)
/** … and falls from four times on. */
const LONGER = Math.log(4)
/** Each such answer lowers the limit by this much. */
const GENTLY = 0.25
/** The recent latency is averaged over at least this many answers. */
const LATELY = 16
/** The usual latency falls to the recent one in this many steps, so that a few quick answers do not set it. */
const SETTLING = 8
/** After this long with slow answers the limit is reset, so that the usual latency is measured again. */
const STRAINED_FOR: Millis = MINUTE

/** An attempt that has ended. */
export interface Answer {
  /** Whether the destination answered. */
  isHealthy: boolean
  durationMs: number
  startedAt: Millis
  now: Millis
  /** Attempts under way, this one included. */
  inFlight: number
}

/** The level after an attempt: at least 1, at most `cap`. */
export function levelAfter(before: Level, answer: Answer, cap: number): Level {
  const after = answer.isHealthy ? afterSuccess(before, answer) : afterFailure(before, answer)
  return { ...after, limit: Math.min(Math.max(1, after.limit), cap) }
}

function afterSuccess(before: Level, answer: Answer): Level {
  // After the clock was set back, `learnsFrom` is ignored where it lies too far ahead.
  const isTooEarly = answer.startedAt < before.learnsFrom && before.learnsFrom - answer.now <= STRAINED_FOR
  return isTooEarly ? before : withStrain(withLatency(before, answer), answer)
}

/** Adds one latency: a mean of the first ones, then a moving average. The usual latency only falls. */
function withLatency(before: Level, { durationMs }: Answer): Level {
  const latency = Math.log(Math.max(QUICK, durationMs))
  const answers = before.answers + 1
  const share = Math.max(1 / answers, 2 / (Math.max(LATELY, before.limit) + 1))
  const recent = before.recent + (latency - before.recent) * share
  const isKnown = answers > LATELY
  const usual = isKnown ? before.usual + Math.min(0, recent - before.usual) / SETTLING : recent
  return { ...before, answers, recent, usual }
}

function withStrain(level: Level, { now, inFlight }: Answer): Level {
  const slower = level.recent - level.usual
  if (slower <= HOLDS) {
    // An answer under light load does not show that the destination takes more.
    const isAsked = 2 * inFlight >= Math.floor(level.limit)
    return { ...level, strainedAt: undefined, limit: level.limit + (isAsked ? 1 : 0) }
  }
  const strainedAt = Math.min(level.strainedAt ?? now, now)
  if (now - strainedAt >= STRAINED_FOR)
    return {
      ...FIRST_LEVEL,
      limit: Math.min(level.limit, FIRST_LIMIT),
      learnsFrom: now + Math.exp(level.recent),
    }
  const fall = slower > LONGER ? Math.min(GENTLY, Math.max(0, level.limit - FIRST_LIMIT)) : 0
  return { ...level, strainedAt, limit: level.limit - fall }
}

/** A failure of an attempt that was under way at the last halving lowers the limit by 1 only. */
function afterFailure(before: Level, { startedAt, now }: Answer): Level {
  // After the clock was set back, `halvedAt` may lie ahead of now and is ignored.
  const isSame = startedAt < before.halvedAt && before.halvedAt <= now
  return isSame
    ? { ...before, limit: before.limit - 1 }
    : { ...before, limit: before.limit / 2, halvedAt: now }
}

/** The level of a parked lane: one attempt at once. */
export function narrowed(level: Level): Level {
  return { ...level, limit: 1 }
}

/** The level of a remembered limit, without latencies. */
export function recalled(limit: number): Level {
  return { ...FIRST_LEVEL, limit: Math.max(1, limit) }
}
