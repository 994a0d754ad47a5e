import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import type { KnowledgeDeps } from '../deps.ts'
import { type Document, getDocument, queueDocument } from './document-row.ts'
import { sourceToIndex } from './next-source.ts'

/**
 * Queues a document to be indexed again, once its file is read where that is being done. One that is queued, or is being
 * indexed, stays as it is.
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
  // Locked in the order of all: the base, its file, the document. So no replacement comes between, nor the end of a reading.
  await lock(
    tx,
    tx.selectFrom('knowledge_base').select('id').where('id', '=', before.knowledge_base_id),
  ).execute()
  const { file_id: fileId } = sourceToIndex(await getDocument(tx, organizationId, documentId))
  const file = fileId === null ? undefined : await findFile(tx, organizationId, fileId)
  const row = await getDocument(tx, organizationId, documentId, lock)
  if (row.job_id !== null) return row
  // A file that is deleted meanwhile withdraws its replacement: the file that was read is not this document's then.
  const isReady = sourceToIndex(row).file_id !== fileId || file?.status !== 'processing'
  if (row.status === 'queued' && !isReady) return row
  await queueDocument(tx, jobs, row, isReady, now)
  return getDocument(tx, organizationId, documentId)
}
