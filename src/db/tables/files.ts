import type { Millis } from '../../core/clock.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'

/** Files, and where their bytes are. */
export interface FileTables {
  /** Bytes that are kept outside of the database, under the name that their id is. */
  blob: {
    id: Id<'blob'>
    organization_id: Id<'organization'>
    /** `pending` until the row that refers to it commits; `orphaned` once none does: its bytes are to be removed, then the row. */
    state: 'pending' | 'kept' | 'orphaned'
    /** In bytes, and its SHA-256 in hex; 0 and '' while it is pending. */
    size: number
    sha256: string
    created_at: Millis
    updated_at: Millis
  }
  /** How many bytes of an organization are kept. */
  storage: { organization_id: Id<'organization'>; bytes: number }
  file: {
    id: Id<'file'>
    organization_id: Id<'organization'>
    /** The name that the sender gave it; never part of a path. */
    name: string
    /** As the sender said, or as it was found when it was read. */
    media_type: string
    /** As the sender said, even where reading found another one. */
    charset: string | null
    size_bytes: number
    /** In hex. */
    sha256: string
    status: 'processing' | 'processed' | 'failed'
    /** Why it failed: a code of the catalogue, and more exactly. */
    error_code: ErrorCode | null
    error_reason: string | null
    blob_id: Id<'blob'>
    /** Its text, as pieces; null until it was read. */
    text_blob_id: Id<'blob'> | null
    text_chars: number | null
    /** 1: there was more text than is kept. */
    text_truncated: number
    /** JSON: what is to be known of how the text was read; null where it has not been, or there is nothing. */
    warnings: string | null
    /** What reads it, or read it last. */
    job_id: Id<'job'> | null
    /** JSON: what was set aside for reading it; null once that is paid or given back. */
    reservation: string | null
    /** An account or a service account. */
    created_by: string
    created_at: Millis
    /** When it was last requested to be read. */
    begun_at: Millis
    processed_at: Millis | null
  }
}
