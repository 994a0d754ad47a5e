import type { Id } from '../core/id.ts'
import type { Job } from './deliveries.ts'

/** Deliveries that one lane holds in memory; the rest of its backlog stays in the table. */
export const LANE_LENGTH = 100
/** What all lanes together hold in memory. */
const MOST_JOBS = 10_000
const MOST_BYTES = 64 * 1024 * 1024

/** Attempts at once that a lane begins with, and doubles its way from, once it has shown itself well. */
const FIRST_WINDOW = 4

interface Lane {
  webhookId: Id<'webhook'>
  queue: Job[]
  inFlight: number
  /** Attempts at once that it has earned: one more for each success, half as many after a failure. */
  window: number
  /** Whether it stands in the ring. */
  isListed: boolean
}

/**
 * What this worker has in hand: one lane a webhook, fair turns between them. A lane whose destination fails
 * shrinks to one attempt at a time; it takes neither turns nor memory from the others.
 */
export interface Lanes {
  /** Whether one more delivery to a webhook may be taken into memory. */
  hasRoom(webhookId: Id<'webhook'>): boolean
  /** How many more the lane may take. */
  roomOf(webhookId: Id<'webhook'>): number
  add(job: Job): void
  /** The next delivery to attempt, by fair turns; it counts as in flight until `done`. */
  next(): Job | undefined
  /** An attempt has been settled. */
  done(job: Job, isWell: boolean, maxInFlight: number): void
  /** Empties all lanes; what is in flight stays counted. */
  clear(): void
  readonly inFlight: number
  /** When the delivery that waits longest in memory was due. */
  oldestDue(): number | undefined
}

export function createLanes(): Lanes {
  const lanes = new Map<Id<'webhook'>, Lane>()
  /** Lanes that have work and may do it, in the order of their turns. */
  let ring: Lane[] = []
  let jobs = 0
  let bytes = 0
  let inFlight = 0

  function laneOf(webhookId: Id<'webhook'>): Lane {
    const known = lanes.get(webhookId)
    if (known !== undefined) return known
    const lane = { webhookId, queue: [], inFlight: 0, window: FIRST_WINDOW, isListed: false }
    lanes.set(webhookId, lane)
    return lane
  }

  function list(lane: Lane): void {
    if (lane.isListed || lane.queue.length === 0 || lane.inFlight >= lane.window) return
    lane.isListed = true
    ring.push(lane)
  }

  function roomOf(webhookId: Id<'webhook'>): number {
    if (bytes >= MOST_BYTES) return 0
    return Math.min(LANE_LENGTH - (lanes.get(webhookId)?.queue.length ?? 0), MOST_JOBS - jobs)
  }

  return {
    hasRoom: (webhookId) => roomOf(webhookId) > 0,
    roomOf,
    add(job) {
      const lane = laneOf(job.webhookId)
      lane.queue.push(job)
      jobs += 1
      bytes += job.body.length
      list(lane)
    },
    next() {
      const lane = ring.shift()
      if (lane === undefined) return undefined
      lane.isListed = false
      const job = lane.queue.shift()
      if (job === undefined) return undefined
      jobs -= 1
      bytes -= job.body.length
      lane.inFlight += 1
      inFlight += 1
      list(lane)
      return job
    },
    done(job, isWell, maxInFlight) {
      const lane = laneOf(job.webhookId)
      lane.inFlight -= 1
      inFlight -= 1
      lane.window = isWell ? Math.min(lane.window + 1, maxInFlight) : Math.max(1, lane.window >> 1)
      if (lane.inFlight === 0 && lane.queue.length === 0 && isWell) lanes.delete(lane.webhookId)
      else list(lane)
    },
    clear() {
      for (const lane of lanes.values()) {
        lane.queue = []
        lane.isListed = false
      }
      ring = []
      jobs = 0
      bytes = 0
    },
    get inFlight() {
      return inFlight
    },
    oldestDue() {
      let oldest: number | undefined
      for (const { queue } of lanes.values()) {
        const [first] = queue
        if (first !== undefined && (oldest === undefined || first.dueAt < oldest)) oldest = first.dueAt
      }
      return oldest
    },
  }
}
