import type { Kind, TextPiece, Warning } from './child/common/messages.ts'

export type { Kind, Location, TextPiece, Warning } from './child/common/messages.ts'

/** A file to be read. */
export interface Source {
  sizeBytes: number
  /** The digest of the upload, in hex; bytes with another digest are refused. */
  sha256: string
  /** Opens its bytes. @throws Error when they cannot be read */
  open(signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> | AsyncIterable<Uint8Array>
}

export interface ReadOptions {
  organizationId: string
  /** The declared name; it only decides among kinds of text. */
  name: string
  /** The declared type, in lower case and without parameters. */
  mediaType: string
  /** The declared charset; null without one. */
  charset: string | null
  /** Cancels the reading, and kills its process. */
  signal: AbortSignal
}

export type FaultCode = 'XLSX_TIMEOUT' | 'XLSX_CORRUPTED' | 'PARSE_FAILED' | 'PROCESSING_FAILED'

/** The result of reading a file. A failure is a value, not an error. */
export type Reading =
  | {
      ok: true
      kind: Kind
      mediaType: string
      /** Their concatenation is the text. */
      pieces: TextPiece[]
      chars: number
      /** Whether the text was longer than the limit. */
      truncated: boolean
      warnings: Warning[]
    }
  | {
      ok: false
      code: FaultCode
      reason: string
      /** Whether the server caused the failure, so that another attempt may succeed. */
      isOurs: boolean
      /** For the log. */
      detail: string
    }
