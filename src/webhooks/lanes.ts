import type { Id } from '../core/id.ts'
import type { Job } from './deliveries.ts'

/** Deliveries that one lane holds in memory; the rest of its backlog stays in the table. */
export const LANE_LENGTH = 200
/** A lane takes more from the table when it is down to this, so that one claim fetches many. */
const REFILL_AT = LANE_LENGTH / 2
/** What all lanes together hold in memory. */
const MOST_JOBS = 10_000
const MOST_BYTES = 64 * 1024 * 1024

/** Attempts at once with which a lane begins. */
const FIRST_WINDOW = 4

interface Lane {
  queue: Job[]
  inFlight: number
  /** Attempts at once that it has earned: one more for each success, half as many after a failure. */
  window: number
  /** Attempts at once that its webhook takes. */
  cap: number
  /** Whether it stands in the ring. */
  isListed: boolean
}

/**
 * What this worker has in hand: one lane a webhook, fair turns between them. A lane whose destination fails
 * shrinks to one attempt at a time; it takes neither turns nor memory from the others.
 */
export interface Lanes {
  /** Whether a new delivery to a webhook may be taken into memory. */
  hasRoom(webhookId: Id<'webhook'>): boolean
  /** How many deliveries to fetch from the table; 0 while the lane has enough. */
  wanted(webhookId: Id<'webhook'>): number
  add(job: Job): void
  /** The next delivery to attempt, by fair turns; it counts as in flight until `done`. */
  next(): Job | undefined
  /** An attempt has ended. @param isWell undefined: nothing was learnt of the destination */
  done(job: Job, isWell: boolean | undefined, cap?: number): void
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
    const lane = { queue: [], inFlight: 0, window: FIRST_WINDOW, cap: FIRST_WINDOW, isListed: false }
    lanes.set(webhookId, lane)
    return lane
  }

  function list(lane: Lane): void {
    if (lane.isListed || lane.queue.length === 0 || lane.inFlight >= Math.min(lane.window, lane.cap)) return
    lane.isListed = true
    ring.push(lane)
  }

  function room(webhookId: Id<'webhook'>): number {
    if (bytes >= MOST_BYTES) return 0
    return Math.min(LANE_LENGTH - (lanes.get(webhookId)?.queue.length ?? 0), MOST_JOBS - jobs)
  }

  return {
    hasRoom: (webhookId) => room(webhookId) > 0,
    wanted(webhookId) {
      const waiting = lanes.get(webhookId)?.queue.length ?? 0
      return waiting > REFILL_AT ? 0 : Math.max(0, room(webhookId))
    },
    add(job) {
      const lane = laneOf(job.webhookId)
      lane.cap = job.maxInFlight
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
    done(job, isWell, cap) {
      const lane = laneOf(job.webhookId)
      lane.cap = cap ?? lane.cap
      lane.inFlight -= 1
      inFlight -= 1
      if (isWell === true) lane.window = Math.min(lane.window + 1, lane.cap)
      if (isWell === false) lane.window = Math.max(1, lane.window >> 1)
      if (lane.inFlight === 0 && lane.queue.length === 0 && isWell !== false) lanes.delete(job.webhookId)
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
