import { createShares } from '../../core/fair-limiter.ts'
import type { Id } from '../../core/id.ts'
import type { Job } from '../job.ts'

type Organization = Id<'organization'>

/** What one process holds in memory at most, all organizations together. */
export interface Limits {
  /** Attempts at once. */
  places: number
  /** Jobs that wait for their attempt; beyond them each lane may have one. */
  jobs: number
  /** Bytes of bodies that wait with them; what is beyond waits without, and its body is read when its turn has come. */
  waitingBytes: number
  /** Bytes of bodies that are being sent; what is beyond waits for its turn. */
  flyingBytes: number
}

export const LIMITS: Limits = {
  places: 1_000,
  jobs: 10_000,
  waitingBytes: 32 * 1024 * 1024,
  flyingBytes: 64 * 1024 * 1024,
}

/** Jobs of one lane in memory; the rest of its backlog stays in the table. */
export const LANE_LENGTH = 200

/** What jobs take of the memory, a share for each organization. */
export interface Room {
  /** How many jobs a lane that has so many may take in: no more than it leaves to its organization's others. */
  forJobs(organizationId: Organization, waiting: number): number
  /** Whether one more body of an organization may be sent. */
  forFlight(organizationId: Organization): boolean
  /** Whether nobody's may. */
  readonly isUsedUp: boolean
  /** A job waits; where its organization has too much in memory, without its body. */
  wait(job: Job): void
  /** It waits no more. */
  leave(job: Job): void
  /** It is being attempted. */
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
