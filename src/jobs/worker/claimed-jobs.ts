import { type Millis, SECOND } from '../../core/clock.ts'
import type { Job } from '../job.ts'
import type { ClaimedLane } from '../ownership/ownership.ts'

/** A claim without a job in memory is stray after this: longer than the answer to a commit takes. */
const STRAY_AFTER: Millis = 15 * SECOND

/** The jobs that one worker holds, from claim to settlement. */
export interface ClaimedJobs<J extends Job> {
  /** @returns false when it holds the job already: claimed again, because the first answer came late */
  take(job: J): boolean
  leave(job: J): void
  clear(): void
  /** An attempt of a job begins; `stall`: it could not, and the job waits again. `leave` ends it. */
  begin(job: J): void
  stall(job: J): void
  /** A claim for lanes begins, and ends. */
  beginClaim(lanes: J['laneId'][]): void
  endClaim(lanes: J['laneId'][]): void
  /** The lanes with jobs that it holds. */
  lanes(): ClaimedLane[]
  /** The lanes of claims under way. */
  claiming(): J['laneId'][]
  /** Must be called before the claims of this worker are read. */
  beginPoll(): void
  /**
   * Finds jobs that the table has claimed by this worker and that it has not held for `STRAY_AFTER`, because the answer to
   * their claim or commit was lost. @returns them, to be given back
   */
  strays(claimed: J['id'][], now: Millis): J['id'][]
}

export function createClaimedJobs<J extends Job>(): ClaimedJobs<J> {
  /** A job may be claimed for its next attempt before its last result was reported. */
  const held = new Map<J['id'], J>()
  /** Of these, the jobs whose attempt is under way. */
  const inFlight = new Set<J>()
  /** The lanes of claims under way, each with the number of claims. */
  const claims = new Map<J['laneId'], number>()
  /** Jobs that left since the poll under way began. */
  let justLeft: Set<J['id']> | undefined
  /** Claimed jobs that are not in hand, and since when. */
  let lost = new Map<J['id'], Millis>()

  return {
    take(job) {
      if (held.get(job.id)?.attempts === job.attempts) return false
      held.set(job.id, job)
      lost.delete(job.id)
      return true
    },
    leave(job) {
      if (held.get(job.id) === job) held.delete(job.id)
      inFlight.delete(job)
      justLeft?.add(job.id)
    },
    clear() {
      held.clear()
      lost.clear()
    },
    begin: (job) => void inFlight.add(job),
    stall: (job) => void inFlight.delete(job),
    beginClaim(some) {
      for (const laneId of some) claims.set(laneId, (claims.get(laneId) ?? 0) + 1)
    },
    endClaim(some) {
      for (const laneId of some) {
        const left = (claims.get(laneId) ?? 1) - 1
        if (left > 0) claims.set(laneId, left)
        else claims.delete(laneId)
      }
    },
    lanes() {
      const lanes = new Map<J['laneId'], ClaimedLane>()
      for (const { laneId, cap, perSecond } of held.values())
        lanes.set(laneId, { laneId, cap, perSecond, inFlight: 0 })
      for (const { laneId, cap, perSecond } of inFlight) {
        const lane = lanes.get(laneId) ?? { laneId, cap, perSecond, inFlight: 0 }
        lane.inFlight += 1
        lanes.set(laneId, lane)
      }
      return [...lanes.values()]
    },
    claiming: () => [...claims.keys()],
    beginPoll() {
      justLeft = new Set()
    },
    strays(claimed, now) {
      const missing = claimed.filter((id) => !held.has(id) && !justLeft?.has(id))
      justLeft = undefined
      // A job is missing for a moment while it moves from its commit into its lane. `min` corrects a moment of a clock that was ahead.
      lost = new Map(missing.map((id) => [id, Math.min(lost.get(id) ?? now, now)]))
      const strays = missing.filter((id) => now - (lost.get(id) ?? now) >= STRAY_AFTER)
      for (const id of strays) lost.delete(id)
      return strays
    },
  }
}
