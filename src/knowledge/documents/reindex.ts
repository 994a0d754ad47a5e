import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import type { KnowledgeDeps } from '../deps.ts'
import { type Document, getDocument, queueDocument } from './document-row.ts'
import { contentToIndex } from './replacement.ts'

/**
 * Queues a document for another indexing, after the current processing of its file. A document that is queued or being indexed stays
 * unchanged.
 * @throws ApiError INVALID_UUID, ENTITY_NOT_FOUND
 */
export async function reindex(
  tx: Tx,
  { jobs, findFile }: Pick<KnowledgeDeps, 'jobs' | 'findFile'>,
  organizationId: Id<'organization'>,
  documentId: string,
  now: Millis,
): Promise<Document> {
  const before = await getDocument(tx, organizationId, documentId)
  // The locks (base, file, document, in the usual order) exclude a replacement and an end of processing.
  await lock(
    tx,
    tx.selectFrom('knowledge_base').select('id').where('id', '=', before.knowledge_base_id),
  ).execute()
  const { file_id: fileId } = contentToIndex(await getDocument(tx, organizationId, documentId))
  const file = fileId === null ? undefined : await findFile(tx, organizationId, fileId)
  const row = await getDocument(tx, organizationId, documentId, lock)
  if (row.job_id !== null) return row
  // After the replacement was withdrawn, the content has another file or none, and its text exists.
  const isReady = contentToIndex(row).file_id !== fileId || file?.status !== 'processing'
  if (row.status === 'queued' && !isReady) return row
  await queueDocument(tx, jobs, row, isReady, now)
  return getDocument(tx, organizationId, documentId)
}
