import type { Millis } from '../../core/clock.ts'
import type { Id, Kind } from '../../core/id.ts'

/** The tables of live streams. */
export interface LiveTables {
  /** An organization whose live stream was read; for others no changes are written. */
  stream: {
    organization_id: Id<'organization'>
    /** The position of its last change, which is incremented under the lock of this row, so that positions follow the order of commits. */
    last: number
    /** Changes up to this position may be deleted. */
    floor: number
    /** Its changes are written until this moment. */
    watched_until: Millis
  }
  /** The last change of each recently changed row. */
  stream_change: {
    organization_id: Id<'organization'>
    subject_id: Id<Kind> | 'gap'
    sequence: number
    kind: string
    /** A filter of readers: the webhook, or the owner; '' without one. */
    about: string
    /** The row in the form of the API, as JSON. */
    data: string
    at: Millis
  }
}
