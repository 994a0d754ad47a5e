import { createShares } from '../../core/fair-limiter.ts'
import type { Id } from '../../core/id.ts'
import type { Job } from '../job.ts'

type Organization = Id<'organization'>

/** What one process holds in memory at most, for all organizations together. */
export interface Limits {
  /** Attempts at once. */
  places: number
  /** Jobs that wait for their attempt; beyond this number each lane may hold one. */
  jobs: number
  /** Bytes of the bodies of waiting jobs; beyond this a job waits without its body, which is read before its attempt. */
  waitingBytes: number
  /** Bytes of bodies being sent; beyond this no further attempt begins. */
  flyingBytes: number
}

export const LIMITS: Limits = {
  places: 1_000,
  jobs: 10_000,
  waitingBytes: 32 * 1024 * 1024,
  flyingBytes: 64 * 1024 * 1024,
}

/** Waiting jobs of one lane in memory; the rest of its backlog stays in the table. */
export const LANE_LENGTH = 200

/** The memory that jobs take, shared fairly among organizations. */
export interface Room {
  /** How many more jobs a lane may take in. @param waiting jobs of the lane in memory */
  forJobs(organizationId: Organization, waiting: number): number
  /** Whether an organization may send another body. */
  forFlight(organizationId: Organization): boolean
  /** Whether no organization may send another body. */
  readonly isUsedUp: boolean
  /** A job begins to wait; its body is dropped where its organization has no room for it. */
  wait(job: Job): void
  /** A job stops waiting. */
  leave(job: Job): void
  /** An attempt of a job begins, and ends. */
  fly(job: Job): void
  land(job: Job): void
}

export function createRoom({ jobs: mostJobs, waitingBytes, flyingBytes }: Limits): Room {
  const jobs = createShares<Organization>(mostJobs)
  const waiting = createShares<Organization>(waitingBytes)
  const flying = createShares<Organization>(flyingBytes)
  return {
    forJobs(organizationId, held) {
      const most = Math.min(LANE_LENGTH, jobs.room(organizationId))
      return Math.max(most, 1) - held
    },
    forFlight: (organizationId) => flying.room(organizationId) > 0,
    get isUsedUp() {
      return flying.isUsedUp
    },
    wait(job) {
      jobs.take(job.organizationId)
      if (waiting.room(job.organizationId) < job.bytes) job.body = undefined
      if (job.body !== undefined) waiting.take(job.organizationId, job.bytes)
    },
    leave(job) {
      jobs.give(job.organizationId)
      if (job.body !== undefined) waiting.give(job.organizationId, job.bytes)
    },
    fly: ({ organizationId, bytes }) => flying.take(organizationId, bytes),
    land: ({ organizationId, bytes }) => flying.give(organizationId, bytes),
  }
}
