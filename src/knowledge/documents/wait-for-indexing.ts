import { type Millis, stopwatch } from '../../core/clock.ts'
import { ApiError, type ErrorCode } from '../../core/errors.ts'
import { type Id, parseId } from '../../core/id.ts'
import type { KnowledgeDeps } from '../deps.ts'
import type { Document } from './document-row.ts'
import { type Content, contentToIndex, isSameContent } from './replacement.ts'

type WaitDeps = Pick<KnowledgeDeps, 'database' | 'jobs' | 'findFile'>

/**
 * Waits for the end of the indexing of `content`, including the processing of its file and all of its jobs.
 * @param content the content or replacement that the waiting request has set
 * @returns the document: `indexed`, `failed`, or unfinished after `patience`; undefined where it was deleted, or its content was
 * replaced
 */
export async function waitForIndexing(
  deps: WaitDeps,
  documentId: string,
  content: Content,
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
    if (!isSameContent(contentToIndex(row), content)) return isWithdrawn(row, content) ? row : undefined
    if (row.status === 'indexed' || row.status === 'failed') return row
    const left = patience - elapsed()
    const jobId = row.job_id ?? (await jobOfFile(deps, row))
    // The wait for this job has ended before the job: the patience is over, or the process stops.
    if (left <= 0 || awaited.has(jobId)) return row
    awaited.add(jobId)
    // Without a job, the processing of the file ended between the two statements, and the next read finds a job.
    if (jobId !== null) await deps.jobs.ended(jobId, left)
  }
}

/** The error for a request whose `content` could not be indexed. */
export function indexingError(row: Document, { file_id: fileId }: Content): ApiError {
  return new ApiError((row.error_code ?? 'INDEXING_FAILED') as 'INDEXING_FAILED' & ErrorCode, {
    documentId: row.id,
    ...(fileId !== null && { fileId }),
    reason: row.error_reason,
  })
}

/** The job that processes the file of a waiting document; null without one. */
async function jobOfFile({ database, findFile }: WaitDeps, row: Document): Promise<Id<'job'> | null> {
  const { file_id: fileId } = contentToIndex(row)
  if (fileId === null) return null
  return (await findFile(database.db, row.organization_id, fileId))?.jobId ?? null
}

/** Whether the requested replacement was withdrawn because its file was deleted. */
function isWithdrawn(row: Document, { file_id: fileId }: Content): boolean {
  return row.error_reason === 'file_deleted' && fileId !== null && fileId !== row.file_id
}
