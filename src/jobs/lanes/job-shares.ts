import { type Millis, SECOND } from '../../core/clock.ts'
import { createShares } from '../../core/fair-limiter.ts'
import type { Id } from '../../core/id.ts'
import type { Job } from '../job.ts'

type Organization = Id<'organization'>

/** What the jobs of one process use at most, all organizations together. */
export interface JobLimits {
  /** Attempts in flight. */
  inFlight: number
  /** Of a share of them, a tenth and at most this many are kept for tests; an organization makes no more tests at once. */
  tests: number
  /** Jobs queued in memory; beyond this number each lane may hold one. */
  queued: number
  /** Bytes of the bodies of queued jobs; beyond this a job is queued without its body, which is read before its attempt. */
  queuedBytes: number
  /** Bytes of bodies in flight; beyond this no further attempt begins. */
  bytesInFlight: number
}

export const JOB_LIMITS: JobLimits = {
  inFlight: 1_000,
  tests: 10,
  queued: 10_000,
  queuedBytes: 32 * 1024 * 1024,
  bytesInFlight: 64 * 1024 * 1024,
}

/** A test that may begin, with `end` to call when it is over; or the seconds after which another try finds a place. */
type TestPlace = { end(): void } | { retryAfterSeconds: number }

/**
 * What organizations share in one process for their jobs, by max–min fair shares (`core/fair-limiter.ts`): attempts in flight, queued
 * jobs, and the bytes of both. Lanes on trial, whose last attempt did not reach the destination, get half of a share of the attempts, so that
 * hanging destinations do not delay the others of their organization. Some attempts are kept for the tests that people make by hand.
 */
export interface JobShares {
  /** The most attempts in flight. */
  readonly most: number
  /** Attempts in flight, tests included. */
  readonly inFlight: number
  /** Whether no organization may begin an attempt. */
  readonly areUsedUp: boolean
  mayBegin(organizationId: Organization, isOnTrial: boolean): boolean
  /** An attempt of a job begins, and ends. */
  begin(job: Job, isOnTrial: boolean): void
  end(job: Job): void
  beginTest(organizationId: Organization, now: Millis): TestPlace
  /** How many more jobs an organization may queue in all its lanes. */
  roomFor(organizationId: Organization): number
  /** A job is queued, without its body where its organization has no room for it; it leaves the queue. */
  enqueue(job: Job): void
  dequeue(job: Job): void
}

/**
 * @param longest how long an attempt takes at most
 * @param limits those that differ from `JOB_LIMITS`
 */
export function createJobShares(longest: Millis, limits: Partial<JobLimits> = {}): JobShares {
  const { inFlight: most, tests: mostTests, ...bounds } = { ...JOB_LIMITS, ...limits }
  const attempts = createShares<Organization>(most)
  const bytesInFlight = createShares<Organization>(bounds.bytesInFlight)
  const queued = createShares<Organization>(bounds.queued)
  const queuedBytes = createShares<Organization>(bounds.queuedBytes)
  /** Attempts that began while their lane was on trial, and their number for each organization. */
  const trials = new Set<Job>()
  const trialsOf = createShares<Organization>(most)
  /** When the tests under way began. */
  const tests = new Map<Organization, Millis[]>()

  /** The free places of a share that are reserved for tests. */
  function keptForTests(organizationId: Organization): number {
    const kept = Math.min(mostTests, Math.floor(attempts.shareOf(organizationId) / 10))
    return Math.max(0, kept - (tests.get(organizationId)?.length ?? 0))
  }

  function endTest(organizationId: Organization, begun: Millis): void {
    attempts.give(organizationId)
    const left = [...(tests.get(organizationId) ?? [])]
    left.splice(left.indexOf(begun), 1)
    if (left.length === 0) tests.delete(organizationId)
    else tests.set(organizationId, left)
  }

  return {
    most,
    get inFlight() {
      return most - attempts.free
    },
    get areUsedUp() {
      return attempts.isUsedUp || bytesInFlight.isUsedUp
    },
    mayBegin(organizationId, isOnTrial) {
      if (attempts.room(organizationId) <= keptForTests(organizationId)) return false
      if (bytesInFlight.room(organizationId) <= 0) return false
      return !isOnTrial || trialsOf.heldBy(organizationId) < Math.ceil(attempts.shareOf(organizationId) / 2)
    },
    begin(job, isOnTrial) {
      attempts.take(job.organizationId)
      bytesInFlight.take(job.organizationId, job.bytes)
      if (!isOnTrial) return
      trials.add(job)
      trialsOf.take(job.organizationId)
    },
    end(job) {
      attempts.give(job.organizationId)
      bytesInFlight.give(job.organizationId, job.bytes)
      if (trials.delete(job)) trialsOf.give(job.organizationId)
    },
    beginTest(organizationId, now) {
      const begun = tests.get(organizationId) ?? []
      const isFull = begun.length >= mostTests
      if (isFull || attempts.room(organizationId) === 0) {
        // By then at least one test or attempt under way has ended.
        const ends = isFull ? Math.min(...begun) + longest : now + longest
        return { retryAfterSeconds: Math.max(1, Math.ceil((ends - now) / SECOND)) }
      }
      attempts.take(organizationId)
      tests.set(organizationId, [...begun, now])
      let isOver = false
      return {
        end() {
          if (!isOver) endTest(organizationId, now)
          isOver = true
        },
      }
    },
    roomFor: (organizationId) => queued.room(organizationId),
    enqueue(job) {
      queued.take(job.organizationId)
      if (queuedBytes.room(job.organizationId) < job.bytes) job.body = undefined
      if (job.body !== undefined) queuedBytes.take(job.organizationId, job.bytes)
    },
    dequeue(job) {
      queued.give(job.organizationId)
      if (job.body !== undefined) queuedBytes.give(job.organizationId, job.bytes)
    },
  }
}
