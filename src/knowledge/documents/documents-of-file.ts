import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { afterCommit, type Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import type { KnowledgeDeps } from '../deps.ts'
import { type Document, queueDocument, removeDocuments } from './document-row.ts'
import { failDocument } from './indexing-end.ts'
import { applyReplacementUnindexed, contentToIndex, dropReplacement } from './replacement.ts'

/** Queues the documents that wait for a file, in the transaction that ends its processing. */
export async function queueDocumentsOfFile(
  tx: Tx,
  { jobs }: Pick<KnowledgeDeps, 'jobs'>,
  { id, organization_id }: { id: Id<'file'>; organization_id: Id<'organization'> },
  now: Millis,
): Promise<void> {
  const waiting = documentsOfFile(tx, organization_id, id)
    .where('status', '=', 'queued')
    .where('job_id', 'is', null)
  for (const document of await lock(tx, waiting).execute())
    if (contentToIndex(document).file_id === id) await queueDocument(tx, jobs, document, true, now)
}

/** Selects the documents whose content or replacement is a file: at most two per knowledge base. */
function documentsOfFile(tx: Tx, organizationId: Id<'organization'>, fileId: Id<'file'>) {
  return tx
    .selectFrom('document')
    .selectAll()
    .where(({ or, eb }) => or([eb('file_id', '=', fileId), eb('next_file_id', '=', fileId)]))
    .where('organization_id', '=', organizationId)
    .orderBy('id')
}

/**
 * Removes the documents of a file, in the transaction that deletes it. A document with another replacement gets that content. One whose
 * replacement is the file keeps its content, with the failure `file_deleted`.
 */
export async function removeDocumentsOfFile(
  tx: Tx,
  deps: Pick<KnowledgeDeps, 'charge' | 'publish' | 'removeSoon'>,
  organizationId: Id<'organization'>,
  fileId: Id<'file'>,
  now: Millis,
): Promise<void> {
  const documents = await lock(tx, documentsOfFile(tx, organizationId, fileId)).execute()
  const removed: Id<'document'>[] = []
  for (const document of documents) {
    if (contentToIndex(document).file_id !== fileId) await applyReplacementUnindexed(tx, document, now)
    else if (document.file_id !== fileId) await failReplacement(tx, deps, document, now)
    else removed.push(document.id)
  }
  await removeDocuments(tx, deps, removed, now)
  if (documents.length > 0) afterCommit(tx, deps.removeSoon)
}

/** Fails a replacement whose file was deleted. */
async function failReplacement(
  tx: Tx,
  deps: Pick<KnowledgeDeps, 'charge' | 'publish'>,
  row: Document,
  now: Millis,
): Promise<void> {
  await dropReplacement(tx, row.id)
  await failDocument(tx, deps, row, { code: 'INDEXING_FAILED', reason: 'file_deleted' }, now)
}
