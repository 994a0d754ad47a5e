import { type Millis, SECOND } from '../../core/clock.ts'
import type { Job } from '../job.ts'
import type { LaneInHand } from '../ownership/ownership.ts'

/** Longer than any commit takes to be told to who asked for it. */
const STRAY_AFTER: Millis = 15 * SECOND

/** What one worker answers for, from claim to settlement. */
export interface InHand<J extends Job> {
  /** @returns false when it is in hand already: claimed twice, because the answer to the first time came late */
  take(job: J): boolean
  leave(job: J): void
  clear(): void
  /** An attempt of a job begins, or could not be made: the job waits again. It ends with `leave`. */
  begin(job: J): void
  stall(job: J): void
  /** Lanes are being claimed for, or no longer. */
  beginClaim(lanes: J['laneId'][]): void
  endClaim(lanes: J['laneId'][]): void
  /** The lanes that have anything in hand. */
  lanes(): LaneInHand[]
  /** The lanes that are being claimed for. */
  claiming(): J['laneId'][]
  /** Must be called before the table is asked what is claimed. */
  beginPoll(): void
  /**
   * Of all that the table says this worker has claimed, what it has lost sight of for some time: the answer to
   * its claim or to its acceptance was lost. It is to be given back.
   */
  strays(claimed: J['id'][], now: Millis): J['id'][]
}

export function createInHand<J extends Job>(): InHand<J> {
  /** A job may be back for its next attempt before its last result is out. */
  const held = new Map<J['id'], J>()
  /** Of these, the jobs whose attempt is under way. */
  const flying = new Set<J>()
  /** Lanes that are being claimed for, and by how many claims. */
  const claims = new Map<J['laneId'], number>()
  /** What has left the hand since the poll under way began. */
  let justLeft: Set<J['id']> | undefined
  /** What was claimed and not in hand, since when. */
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
      flying.delete(job)
      justLeft?.add(job.id)
    },
    clear() {
      held.clear()
      lost.clear()
    },
    begin: (job) => void flying.add(job),
    stall: (job) => void flying.delete(job),
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
      const lanes = new Map<J['laneId'], LaneInHand>()
      for (const { laneId, cap, perSecond } of held.values())
        lanes.set(laneId, { laneId, cap, perSecond, inFlight: 0 })
      for (const { laneId, cap, perSecond } of flying) {
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
      // One that is on its way from its commit into its lane is missing for a moment only.
      // A clock that was ahead makes the moment no longer.
      lost = new Map(missing.map((id) => [id, Math.min(lost.get(id) ?? now, now)]))
      const strays = missing.filter((id) => now - (lost.get(id) ?? now) >= STRAY_AFTER)
      for (const id of strays) lost.delete(id)
      return strays
    },
  }
}
