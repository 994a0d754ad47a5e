import { type Millis, SECOND } from '../../core/clock.ts'
import { LAST_CALL } from '../job.ts'

/** Failures in a row after which a lane is parked … */
export const PARKED_AFTER = 10
/** … when they took this long: retries that were born together fail together, at destinations that take all else. */
export const PARKED_WITHIN: Millis = 2 * SECOND

/** Pauses between the probes of a parked lane, by how many have failed; the last one repeats. */
export const PAUSES: readonly Millis[] = [1, 2, 4, 8, 15, 30].map((seconds) => seconds * SECOND)

/** What a lane remembers of how its destination fails. */
export interface Breaker {
  /** Attempts that failed since the last one that did not, and when the first and the latest of them ended. */
  readonly failures: number
  readonly since: Millis
  readonly until: Millis
  /** Attempts that failed while the lane was parked. */
  readonly probes: number
  /** The attempt that failed last, while its job goes on. */
  readonly last: { id: string; endedAt: Millis } | undefined
}

/** The rules of parking; the simulator plants faults in them. */
export interface Rules {
  isParked: (breaker: Breaker) => boolean
  heldUntil: typeof heldUntil
}

export const CLOSED: Breaker = { failures: 0, since: 0, until: 0, probes: 0, last: undefined }

/** An attempt that ended. */
export interface Ended {
  id: string
  /** Whether the destination showed itself well, a refusal included: it is there. */
  isHealthy: boolean
  /** Whether the job waits for another attempt. */
  isPending: boolean
  now: Millis
}

/** Whether one attempt at a time is made, with pauses, and the rest of the backlog waits in the table. */
export function isParked({ failures, since, until }: Breaker): boolean {
  return failures >= PARKED_AFTER && until - since >= PARKED_WITHIN
}

/** The breaker after an attempt; one that was well closes it. */
export function afterAttempt(before: Breaker, { id, isHealthy, isPending, now }: Ended): Breaker {
  if (isHealthy) return CLOSED
  return {
    failures: before.failures + 1,
    // A clock that was set back begins the time anew, but opens no lane that is parked.
    since: before.failures === 0 || (now < before.since && !isParked(before)) ? now : before.since,
    until: isParked(before) ? Math.max(before.until, now) : now,
    probes: isParked(before) ? before.probes + 1 : 0,
    // What has ended leaves no pause behind: whoever comes alone after it has a schedule of its own.
    last: isPending ? { id, endedAt: now } : undefined,
  }
}

/** When a parked lane is tried next; undefined where no pause holds it. */
export function probeDue(breaker: Breaker): Millis | undefined {
  const { last, probes } = breaker
  if (!isParked(breaker) || last === undefined) return undefined
  return last.endedAt + (PAUSES[Math.min(probes, PAUSES.length - 1)] ?? 0)
}

/** The breaker when somebody expects an attempt at once: still parked, but no pause is waited for. */
export function withoutPause(before: Breaker): Breaker {
  return { ...before, probes: 0, last: undefined }
}

/**
 * Until when a job that is due waits for its turn as a probe; undefined when it may go now. The job that was
 * attempted last is held by nothing but its own schedule, and so is one that is alone.
 */
export function heldUntil(
  breaker: Breaker,
  { id, horizon }: { id: string; horizon: Millis },
  now: Millis,
): Millis | undefined {
  const { last } = breaker
  const until = probeDue(breaker)
  if (last === undefined || until === undefined || last.id === id) return undefined
  if (horizon - now <= LAST_CALL) return undefined
  // A clock that was set back would hold it for as long.
  return last.endedAt <= now && now < until ? until : undefined
}

export const RULES: Rules = { isParked, heldUntil }
