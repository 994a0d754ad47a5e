import type { Kind, TextPiece, Warning } from './child/common/messages.ts'

export type { Kind, Location, TextPiece, Warning } from './child/common/messages.ts'

/** A file to be read. */
export interface Source {
  sizeBytes: number
  /** Of what was taken in, in hex; bytes that have another are not believed. */
  sha256: string
  /** Its bytes from the first to the last. @throws Error when they cannot be had */
  open(signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> | AsyncIterable<Uint8Array>
}

export interface ReadOptions {
  organizationId: string
  /** As it came: decides among kinds of text only. */
  name: string
  mediaType: string
  /** Ends the reading, and the process that does it. */
  signal: AbortSignal
}

export type FaultCode = 'XLSX_TIMEOUT' | 'XLSX_CORRUPTED' | 'PARSE_FAILED' | 'PROCESSING_FAILED'

/** What came of reading a file. A failure is a value: nothing is thrown. */
export type Reading =
  | {
      ok: true
      kind: Kind
      mediaType: string
      /** Put together with nothing between, they are the text. */
      pieces: TextPiece[]
      chars: number
      /** There was more text than is kept. */
      truncated: boolean
      /** What is to be known of how it was read. */
      warnings: Warning[]
    }
  | {
      ok: false
      code: FaultCode
      reason: string
      /** The file is not at fault: another try may go better. */
      isOurs: boolean
      /** For the log. */
      detail: string
    }
