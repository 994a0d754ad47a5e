import type { Millis } from '../../core/clock.ts'
import type { Id, Kind } from '../../core/id.ts'

/** The tables of live streams. */
export interface LiveTables {
  /** An organization whose live stream was read; nothing is written for any other. */
  stream: {
    organization_id: Id<'organization'>
    /** The place of its last change: counted under the lock of this row, so that places come in the order of commits. */
    last: number
    /** Changes up to this place may be gone. */
    floor: number
    /** Until then its changes are written down. */
    watched_until: Millis
  }
  /** The last change of each row that has changed of late. */
  stream_change: {
    organization_id: Id<'organization'>
    subject_id: Id<Kind> | 'gap'
    sequence: number
    kind: string
    /** What a reader may ask for: the webhook, or the owner that it is kept for; '' where there is none. */
    about: string
    /** The row as it is shown, as JSON. */
    data: string
    at: Millis
  }
}
