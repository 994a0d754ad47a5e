import type { Millis } from '../../core/clock.ts'
import { noteChanges, type Tx } from '../../db/database.ts'
import { literal } from '../../db/literal.ts'
import type { RowSettlement } from '../../jobs/rows/row.ts'
import { toFailure } from '../../shared/failure.ts'
import type { FileDeps } from '../deps.ts'
import type { ProcessPayload } from '../file-row.ts'
import type { FileRow } from '../file-wire.ts'
import type { Processed } from './process-file.ts'

type EndDeps = Pick<FileDeps, 'blobs' | 'charge' | 'publish' | 'onEnded'>

/**
 * Ends the processing of a file, in the transaction that ends its job: writes the file and its text, settles the charge, publishes the
 * event, and starts work that waits for it. Nothing is done for a file that was deleted or has another job.
 */
export function createEndProcessing({ blobs, charge, publish, onEnded }: EndDeps) {
  return async (tx: Tx, { job, status, reason, result }: RowSettlement, now: Millis): Promise<unknown> => {
    if (status === 'pending') return
    const { fileId, reservation } = job.payload as ProcessPayload
    const outcome = (result ?? failure(reason ?? status)) as Processed
    const file = await writeEnd(tx, job.id, fileId, outcome, now)
    if (file === undefined) {
      if ('text' in outcome) await blobs.drop(tx, outcome.text.id, now)
      return charge.release(tx, reservation, now)
    }
    if ('text' in outcome) {
      await blobs.keep(tx, outcome.text, null, now)
      if (file.before.text_blob_id !== null) await blobs.drop(tx, file.before.text_blob_id, now)
    }
    // A failure that the file causes is charged, because it took work as well.
    if ('isOurs' in outcome && outcome.isOurs) await charge.release(tx, reservation, now)
    else await charge.settle(tx, reservation, now)
    await publish(tx, now, {
      organizationId: file.organization_id,
      type: 'file.processed',
      data: dataOf(file),
    })
    await onEnded?.(tx, file, now)
  }
}

/** The outcome of a job that crashed too often or was cancelled. */
function failure(reason: string): Processed {
  return { code: 'PROCESSING_FAILED', reason, isOurs: true }
}

/** @returns the file after and before the write; undefined where the file has another job or none */
async function writeEnd(
  tx: Tx,
  jobId: FileRow['job_id'],
  fileId: FileRow['id'],
  outcome: Processed,
  now: Millis,
): Promise<(FileRow & { before: Pick<FileRow, 'text_blob_id'> }) | undefined> {
  const own = tx
    .selectFrom('file')
    .select('text_blob_id')
    .where('id', '=', fileId)
    .where('job_id', '=', jobId)
    .where('status', '=', literal('processing'))
  const before = await own.executeTakeFirst()
  if (before === undefined) return undefined
  const file = await tx
    .updateTable('file')
    .set({ processed_at: now, reservation: null, ...columnsOf(outcome, before) })
    .where('id', '=', fileId)
    .where('job_id', '=', jobId)
    .where('status', '=', literal('processing'))
    .returningAll()
    .executeTakeFirst()
  if (file === undefined) return undefined
  noteChanges(tx, 'file', [file])
  return { ...file, before }
}

/** When a reading fails, the text of an earlier one stays, because the bytes are the same. */
function columnsOf(outcome: Processed, before: Pick<FileRow, 'text_blob_id'>) {
  if ('code' in outcome) {
    const status = before.text_blob_id === null ? ('failed' as const) : ('processed' as const)
    return { status, error_code: outcome.code, error_reason: outcome.reason }
  }
  return {
    ...{ status: 'processed' as const, error_code: null, error_reason: null },
    media_type: outcome.mediaType,
    text_blob_id: outcome.text.id,
    text_chars: outcome.chars,
    text_truncated: outcome.isTruncated ? 1 : 0,
    warnings: outcome.warnings.length === 0 ? null : JSON.stringify(outcome.warnings),
  }
}

/** The data of `file.processed`: the outcome of this reading, regardless of a text of an earlier one. */
function dataOf(file: FileRow) {
  return {
    fileId: file.id,
    name: file.name,
    mediaType: file.media_type,
    sizeBytes: file.size_bytes,
    status: file.error_code === null ? 'processed' : 'failed',
    durationMs: Math.max(0, (file.processed_at ?? file.begun_at) - file.begun_at),
    error: toFailure(file),
  }
}
