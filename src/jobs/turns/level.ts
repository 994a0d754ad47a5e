import { MINUTE, type Millis } from '../../core/clock.ts'

/**
 * How many attempts at once a destination is trusted with. It grows while answers come and take no longer than they used
 * to, falls gently while they take much longer, and is halved by a failure (decisions: webhooks, in flight).
 */
export interface Level {
  /** Attempts at once; a fraction of one is kept for the next step. */
  readonly limit: number
  /** Answers whose latency has been learnt from. */
  readonly answers: number
  /** How long answers take of late, and how long they take when little is asked, as logarithms of milliseconds. */
  readonly recent: number
  readonly usual: number
  /** Since when they have taken longer than they used to. */
  readonly strainedAt: Millis | undefined
  /** When a failure last halved it: what was under way then tells of the same trouble. */
  readonly halvedAt: Millis
  /** What begins before this moment teaches nothing: it waits behind what was asked of the destination earlier. */
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

/** For a lane that learns no level: its `cap` alone limits it. */
export const BOUNDLESS: Level = { ...FIRST_LEVEL, limit: Number.POSITIVE_INFINITY }

/** Answers this quick count alike: what they differ by is as much ours as the destination's. */
const QUICK: Millis = 25
/** Latency holds up to twice the usual … */
const HOLDS = Math.log(2)
/** … and is much longer from four times on. */
const LONGER = Math.log(4)
/** What each much longer answer takes away. */
const GENTLY = 0.25
/** The latency of late is that of so many answers at least. */
const LATELY = 16
/** What is usual falls to what is of late in so many steps, so that a few lucky answers do not make it. */
const SETTLING = 8
/** Strained for so long, it is asked little for a moment, to learn what is usual now. */
const STRAINED_FOR: Millis = MINUTE

/** An attempt that has ended. */
export interface Answer {
  /** Whether the destination showed itself well. */
  isHealthy: boolean
  durationMs: number
  startedAt: Millis
  now: Millis
  /** Attempts that were under way, this one included. */
  inFlight: number
}

/** The level after an attempt; at least one, at most as many as the webhook takes. */
export function levelAfter(before: Level, answer: Answer, cap: number): Level {
  const after = answer.isHealthy ? afterSuccess(before, answer) : afterFailure(before, answer)
  return { ...after, limit: Math.min(Math.max(1, after.limit), cap) }
}

function afterSuccess(before: Level, answer: Answer): Level {
  // A clock that was set back puts learning off no longer than that.
  const isTooEarly = answer.startedAt < before.learnsFrom && before.learnsFrom - answer.now <= STRAINED_FOR
  return isTooEarly ? before : withStrain(withLatency(before, answer), answer)
}

/** Learns from one latency: the mean of the first ones, then what is of late; what is usual follows it downwards only. */
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
    // What was not asked of it, it has not shown.
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

/** One of those that were under way when another failed tells of the same trouble: it takes only itself away. */
function afterFailure(before: Level, { startedAt, now }: Answer): Level {
  // A clock that was set back makes no trouble older than it is.
  const isSame = startedAt < before.halvedAt && before.halvedAt <= now
  return isSame
    ? { ...before, limit: before.limit - 1 }
    : { ...before, limit: before.limit / 2, halvedAt: now }
}

/** One attempt at once, from which a destination that is there again is widened. */
export function narrowed(level: Level): Level {
  return { ...level, limit: 1 }
}

/** A level as it was remembered; its latencies are learnt anew. */
export function recalled(limit: number): Level {
  return { ...FIRST_LEVEL, limit: Math.max(1, limit) }
}
