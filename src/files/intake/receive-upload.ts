import type { PendingBlob } from '../../blobs/blob-row.ts'
import { BlobTooLargeError } from '../../blobs/blob-storage.ts'
import { MINUTE, type Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import { SIZE } from '../../core/limits.ts'
import { BusyError } from '../../db/engine/engine.ts'
import { tooBusy } from '../../http/error-response.ts'
import type { FileDeps } from '../deps.ts'

/** The longest time of an upload. */
export const UPLOAD_DEADLINE: Millis = MINUTE

/** Error codes of a stream that the caller has cut off. */
const CUT_SHORT = new Set(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR', 'ECONNABORTED'])

/**
 * Stores the bytes of an upload, and discards them unless they arrive completely and in time.
 * @throws ApiError VALIDATION_FAILED `empty`, `too_large`, `too_slow`, `cut_short`; PROCESSING_FAILED where the bytes cannot be stored;
 * RATE_LIMITED where the database is busy
 */
export async function receiveUpload(
  { blobs, clock, log }: Pick<FileDeps, 'blobs' | 'clock' | 'log'>,
  organizationId: Id<'organization'>,
  source: AsyncIterable<Uint8Array>,
): Promise<PendingBlob> {
  const late = new AbortController()
  const cancel = clock.after(UPLOAD_DEADLINE, () => late.abort())
  const { promise: lateness, reject } = Promise.withResolvers<never>()
  lateness.catch(() => {})
  late.signal.addEventListener('abort', () => reject(bodyError('too_slow')), { once: true })
  let hasBroken = false

  async function* pieces(): AsyncGenerator<Uint8Array> {
    const iterator = source[Symbol.asyncIterator]()
    try {
      for (;;) {
        const next = await Promise.race([iterator.next(), lateness])
        if (next.done) return
        yield next.value
      }
    } catch (error) {
      hasBroken = true
      throw error
    } finally {
      // Not awaited, because a stalled stream does not end either.
      iterator.return?.()?.catch(() => {})
    }
  }

  try {
    const blob = await blobs.write(organizationId, pieces(), SIZE.file)
    if (blob.size > 0) return blob
    await blobs.abandon(blob)
    throw bodyError('empty')
  } catch (error) {
    if (error instanceof ApiError) throw error
    if (error instanceof BlobTooLargeError) throw bodyError('too_large')
    if (hasBroken || CUT_SHORT.has((error as NodeJS.ErrnoException).code ?? '')) throw bodyError('cut_short')
    throw storageError(error, log)
  } finally {
    cancel()
  }
}

/** Logs a failed write of bytes. @returns the error to answer, which tells a full disk from other failures of the storage */
export function storageError(error: unknown, log: Pick<FileDeps['log'], 'error'>): ApiError {
  if (error instanceof BusyError) return tooBusy(error)
  log.error({ err: error }, 'bytes not kept')
  const isFull = ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')
  return new ApiError('PROCESSING_FAILED', { reason: isFull ? 'disk_full' : 'not_stored' })
}

export function bodyError(reason: string): ApiError {
  return new ApiError('VALIDATION_FAILED', { field: 'body', reason })
}
