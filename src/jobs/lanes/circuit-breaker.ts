import { type Millis, SECOND } from '../../core/clock.ts'
import { LAST_CALL } from '../job.ts'

/** When a lane is parked, and how long it pauses. */
export const PARKING = {
  /** A lane is parked after this many failures in a row … */
  after: 10,
  /** … over at least this time, because retries that are due together also fail together at a healthy destination. */
  within: 2 * SECOND,
  /** Pauses between the probes of a parked lane, by the number of failed probes; the last one repeats. */
  pauses: [1, 2, 4, 8, 15, 30].map((seconds): Millis => seconds * SECOND),
}

/** The state of the circuit breaker of a lane. While it is open, the lane is parked. */
export interface Breaker {
  /** Failures in a row, and when the first and the latest of them ended. */
  readonly failures: number
  readonly since: Millis
  readonly until: Millis
  /** Attempts that failed while the lane was parked. */
  readonly probes: number
  /** The last failed attempt, while its job waits for another. */
  readonly last: { id: string; endedAt: Millis } | undefined
}

/** An attempt that ended. */
interface Ended {
  id: string
  /** Whether the destination accepted the attempt or refused it for good. */
  isReachable: boolean
  /** Whether the job waits for another attempt. */
  isPending: boolean
  now: Millis
}

/** Whether the lane makes one attempt at a time, with pauses, while its backlog waits in the table. */
function isParked({ failures, since, until }: Breaker): boolean {
  return failures >= PARKING.after && until - since >= PARKING.within
}

/** The breaker after an attempt; one that reached the destination closes it. */
function afterAttempt(before: Breaker, { id, isReachable, isPending, now }: Ended): Breaker {
  if (isReachable) return CLOSED
  return {
    failures: before.failures + 1,
    // After the clock was set back the time starts again, but a parked lane stays parked.
    since: before.failures === 0 || (now < before.since && !isParked(before)) ? now : before.since,
    until: isParked(before) ? Math.max(before.until, now) : now,
    probes: isParked(before) ? before.probes + 1 : 0,
    // A job that has ended causes no pause: the next job of the lane follows its own schedule.
    last: isPending ? { id, endedAt: now } : undefined,
  }
}

/** When a parked lane is tried next; undefined where no pause holds it. */
function probeDue(breaker: Breaker): Millis | undefined {
  const { last, probes } = breaker
  if (!isParked(breaker) || last === undefined) return undefined
  return last.endedAt + (PARKING.pauses[Math.min(probes, PARKING.pauses.length - 1)] ?? 0)
}

/** The breaker after a person asked for an attempt: still parked, without a pause. */
function withoutPause(before: Breaker): Breaker {
  return { ...before, probes: 0, last: undefined }
}

/**
 * Until when a due job waits for the pause of a parked lane to end; undefined when it may begin now. The pause does not hold the
 * job that was attempted last, which has a schedule of its own.
 */
function heldUntil(
  breaker: Breaker,
  { id, horizon }: { id: string; horizon: Millis },
  now: Millis,
): Millis | undefined {
  const { last } = breaker
  const until = probeDue(breaker)
  if (last === undefined || until === undefined || last.id === id) return undefined
  if (horizon - now <= LAST_CALL) return undefined
  // After the clock was set back, a moment of the later time would hold the job too long.
  return last.endedAt <= now && now < until ? until : undefined
}

const CLOSED: Breaker = { failures: 0, since: 0, until: 0, probes: 0, last: undefined }

/** The circuit breaker of a lane, as functions of its state; the simulator plants faults in them. */
export const circuitBreaker = { closed: CLOSED, isParked, afterAttempt, probeDue, withoutPause, heldUntil }
export type CircuitBreaker = typeof circuitBreaker
