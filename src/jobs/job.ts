import { MINUTE, type Millis, SECOND } from '../core/clock.ts'
import type { Id } from '../core/id.ts'

/** After the store has failed, its caller tries again this much later. */
export const STORE_RETRY: Millis = SECOND

/**
 * A job this close to its horizon does not wait for a pause to end. No kind whose lanes pause has a longer wait in its
 * schedule, so each job is due once within this time.
 */
export const LAST_CALL: Millis = 30 * MINUTE

/** The organization of jobs without one. These jobs share places like the jobs of one organization. */
export const NO_ORGANIZATION = '' as Id<'organization'>

/**
 * A durable job that this process has claimed, with the fields that the engine needs. A kind of job adds its own fields and narrows the types
 * of ids (`delivery/attempt/delivery-job.ts`).
 */
export interface Job {
  id: string
  /** Jobs of one lane begin in their order, up to `cap` at once. */
  laneId: string
  /** `NO_ORGANIZATION` where it has none. */
  organizationId: Id<'organization'>
  /** Attempts made before. */
  attempts: number
  dueAt: Millis
  /** The last moment at which an attempt may start. */
  horizon: Millis
  /** Attempts at once that its lane takes. */
  cap: number
  /** Attempts a second that its lane takes; null: no rate. */
  perSecond: number | null
  /** How many bytes its body has. */
  bytes: number
  /** The body; undefined where the attempt reads it from the table. */
  body: Uint8Array | undefined
  /** Set where the job goes before all others: a person asked for it, or its last due time has come. */
  isUrgent?: true
}

/** What an attempt changes about its job. A kind adds what else it writes. */
export interface Settlement<J extends Job> {
  job: J
  /** When the next attempt is due; null when the job has ended. */
  dueAt: Millis | null
}

/** A lane and its organization. */
export type Owned<J extends Job> = Pick<J, 'laneId' | 'organizationId'>
