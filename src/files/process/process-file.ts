import type { PendingBlob } from '../../blobs/blob-row.ts'
import { MINUTE, SECOND } from '../../core/clock.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { Handler, Outcome } from '../../jobs/rows/row-kind.ts'
import type { FileDeps } from '../deps.ts'
import { KIND, type ProcessPayload } from '../file-row.ts'
import type { Reading, Warning } from '../readers/reading.ts'
import { encodePieces } from '../stored-text.ts'

/** The outcome of reading a file. `createEndProcessing` writes it in the transaction that settles the job. */
export type Processed =
  | { text: PendingBlob; mediaType: string; chars: number; isTruncated: boolean; warnings: Warning[] }
  | { code: ErrorCode; reason: string; isOurs: boolean }

/** The largest stored text: 32 Mi characters in UTF-8, with locations and checksums. */
const MOST_TEXT = 256 * 1024 * 1024
/** Attempts of a reading that fails by a fault of the server. */
const TRIES = 2

/** Reads a file, and stores its text. The settlement of the job writes the outcome to the file. */
export function processFile(deps: Pick<FileDeps, 'blobs' | 'database' | 'log' | 'readers'>): Handler {
  const { blobs, database, log, readers } = deps

  function read(payload: ProcessPayload) {
    return database.background.db
      .selectFrom('file')
      .selectAll()
      .where('id', '=', payload.fileId)
      .executeTakeFirst()
  }

  async function store(
    reading: Extract<Reading, { ok: true }>,
    owner: PendingBlob['organizationId'],
    signal: AbortSignal,
  ): Promise<Processed> {
    const lines = encodePieces(reading.pieces) as unknown as AsyncIterable<Uint8Array>
    const text = await blobs.write(owner, lines, MOST_TEXT)
    // An aborted job is not settled, so no file will refer to this text.
    if (signal.aborted) await blobs.abandon(text)
    const { mediaType, chars, truncated: isTruncated, warnings } = reading
    return { text, mediaType, chars, isTruncated, warnings }
  }

  return {
    kind: KIND,
    // Includes the wait for a place, and attempts by two children.
    longest: 5 * MINUTE,
    waits: [SECOND],
    isRepeatable: true,
    async work(job, { signal }): Promise<Outcome> {
      const anotherTry = (reason: string): Outcome =>
        job.attempts + 1 < TRIES
          ? { retry: reason }
          : { done: { code: 'PROCESSING_FAILED', reason, isOurs: true } satisfies Processed }
      const file = await read(job.payload as ProcessPayload)
      // The file was deleted, or another job reads it.
      if (file?.job_id !== job.id) return { done: null }
      const reading = await readers.readText(
        { sizeBytes: file.size_bytes, sha256: file.sha256, open: () => blobs.read(file.blob_id) },
        {
          ...{ organizationId: file.organization_id, name: file.name, signal },
          ...{ mediaType: file.media_type, charset: file.charset },
        },
      )
      if (reading.ok)
        return store(reading, file.organization_id, signal).then(
          (done) => ({ done }),
          (error: unknown) => {
            log.error({ err: error, fileId: file.id }, 'text not stored')
            return anotherTry('not_stored')
          },
        )
      const { code, reason, isOurs, detail } = reading
      log.info({ fileId: file.id, code, reason, detail }, 'file not read')
      if (isOurs) return anotherTry(reason)
      return { done: { code, reason, isOurs } satisfies Processed }
    },
  }
}
