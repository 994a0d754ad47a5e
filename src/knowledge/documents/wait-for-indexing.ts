import { type Millis, stopwatch } from '../../core/clock.ts'
import { ApiError, type ErrorCode } from '../../core/errors.ts'
import { type Id, parseId } from '../../core/id.ts'
import type { KnowledgeDeps } from '../deps.ts'
import type { Document } from './document-row.ts'
import { type Content, contentToIndex, isSameContent } from './replacement.ts'

type WaitDeps = Pick<KnowledgeDeps, 'database' | 'jobs' | 'findFile'>

/**
 * Follows a document until the indexing of `wanted` has ended, through the processing of its file and each of its jobs.
 * @param wanted the content that the document is, or is about to be, by the request that waits
 * @returns the document: `indexed`, `failed`, or as it is when `patience` is over; undefined where it is deleted, or another
 * content has taken the place of `wanted`
 */
export async function waitForIndexing(
  deps: WaitDeps,
  documentId: string,
  wanted: Content,
  patience: Millis,
): Promise<Document | undefined> {
  const id = parseId('document', documentId)
  const elapsed = stopwatch()
  const awaited = new Set<Id<'job'> | null>()
  for (;;) {
    const row = await deps.database.db
      .selectFrom('document')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst()
    if (row === undefined) return undefined
    if (!isSameContent(contentToIndex(row), wanted)) return isWithdrawn(row, wanted) ? row : undefined
    if (row.status === 'indexed' || row.status === 'failed') return row
    const left = patience - elapsed()
    const jobId = row.job_id ?? (await jobOfFile(deps, row))
    // The wait for this job ended before the job did: the patience is over, or the process is stopping.
    if (left <= 0 || awaited.has(jobId)) return row
    awaited.add(jobId)
    // Without a job, the processing of the file ended between the two statements, and the document has a job.
    if (jobId !== null) await deps.jobs.ended(jobId, left)
  }
}

/** The failure of a document as an answer to a request that wanted `content`. */
export function indexingError(row: Document, { file_id: fileId }: Content): ApiError {
  return new ApiError((row.error_code ?? 'INDEXING_FAILED') as 'INDEXING_FAILED' & ErrorCode, {
    documentId: row.id,
    ...(fileId !== null && { fileId }),
    reason: row.error_reason,
  })
}

/** The job that reads the file which a document waits for. */
async function jobOfFile({ database, findFile }: WaitDeps, row: Document): Promise<Id<'job'> | null> {
  const { file_id: fileId } = contentToIndex(row)
  if (fileId === null) return null
  return (await findFile(database.db, row.organization_id, fileId))?.jobId ?? null
}

/** Whether the wanted replacement was withdrawn because its file was deleted; the document says so. */
function isWithdrawn(row: Document, { file_id: fileId }: Content): boolean {
  return row.error_reason === 'file_deleted' && fileId !== null && fileId !== row.file_id
}
