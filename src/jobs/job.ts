import { MINUTE, type Millis, SECOND } from '../core/clock.ts'
import type { Id } from '../core/id.ts'

/** After a failure of our own store the results wait this long, in memory. */
export const STORE_RETRY: Millis = SECOND

/**
 * Who has only this long until its horizon does not wait for a pause to end: no schedule of a kind that waits for pauses has
 * a longer wait.
 */
export const LAST_CALL: Millis = 30 * MINUTE

/**
 * Something durable to be done that this process has claimed: what the engine needs to know of it. A kind of job adds what
 * it needs itself (`delivery/store/job.ts`), and says more exactly what its ids are.
 */
export interface Job {
  id: string
  /** What it takes its turn with; jobs of one lane begin in their order, so many at once as the lane takes. */
  laneId: string
  organizationId: Id<'organization'>
  /** Attempts made before. */
  attempts: number
  dueAt: Millis
  /** The last moment at which an attempt may start. */
  horizon: Millis
  /** Attempts at once that its lane takes. */
  cap: number
  /** Attempts a second that its lane takes; null: as many as are answered. */
  perSecond: number | null
  /** How many bytes its body has. */
  bytes: number
  /** The body; undefined where it stays in the table until the attempt. */
  body: Uint8Array | undefined
  /** Set while it is in memory and a person asked for its next attempt: it waits for no pause. */
  isUrgent?: true
}

/** What an attempt changes about its job, whatever its kind writes beside. */
export interface Settlement<J extends Job> {
  job: J
  /** When the next attempt is due; null when the job has ended. */
  dueAt: Millis | null
}

/** A lane, and whose it is. */
export type Owned<J extends Job> = Pick<J, 'laneId' | 'organizationId'>
