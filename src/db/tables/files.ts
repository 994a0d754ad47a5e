import type { Millis } from '../../core/clock.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'

/** The tables of files and blobs. */
export interface FileTables {
  /** Bytes outside the database, stored under their id. */
  blob: {
    id: Id<'blob'>
    organization_id: Id<'organization'>
    /** `pending` until a row that refers to it commits; `orphaned` once none does, and its bytes and then the row are removed. */
    state: 'pending' | 'kept' | 'orphaned'
    /** In bytes, and its SHA-256 in hex; 0 and '' while it is pending. */
    size: number
    sha256: string
    created_at: Millis
    updated_at: Millis
  }
  /** The number of stored bytes of an organization. */
  storage: { organization_id: Id<'organization'>; bytes: number }
  file: {
    id: Id<'file'>
    organization_id: Id<'organization'>
    /** The declared name; never part of a path. */
    name: string
    /** The declared type, or the detected one after processing. */
    media_type: string
    /** The declared charset, even where another one was detected. */
    charset: string | null
    size_bytes: number
    /** In hex. */
    sha256: string
    status: 'processing' | 'processed' | 'failed'
    /** The failure: a code of the catalogue and its reason. */
    error_code: ErrorCode | null
    error_reason: string | null
    blob_id: Id<'blob'>
    /** Its stored text; null until it was read. */
    text_blob_id: Id<'blob'> | null
    text_chars: number | null
    /** 1: the text was truncated. */
    text_truncated: number
    /** JSON: warnings about the reading; null without any. */
    warnings: string | null
    /** The job that reads it, or read it last. */
    job_id: Id<'job'> | null
    /** JSON: the credits reserved for reading it; null once they are settled or released. */
    reservation: string | null
    /** An account or a service account. */
    created_by: string
    created_at: Millis
    /** When its last processing was requested. */
    begun_at: Millis
    processed_at: Millis | null
  }
}
