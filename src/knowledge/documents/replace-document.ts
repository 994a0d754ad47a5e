import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { afterCommit, noteChanges, type Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import type { KnowledgeDeps } from '../deps.ts'
import { type Document, getDocument, queueDocument } from './document-row.ts'
import { readMaterial, refuseDuplicate, type Source } from './document-source.ts'
import { dropVersion, NOT_INDEXED } from './end-indexing.ts'
import { setNext, sourceToIndex } from './next-source.ts'

/**
 * Replaces a document: the old content is found until the new one is indexed. Of several replacements the last one counts. One
 * with what the document is already, or is about to be, changes nothing, unless that has failed.
 * @throws ApiError INVALID_UUID, ENTITY_NOT_FOUND, DUPLICATE
 */
export async function replaceDocument(
  tx: Tx,
  deps: Pick<KnowledgeDeps, 'jobs' | 'findFile' | 'charge' | 'removeSoon'>,
  organizationId: Id<'organization'>,
  documentId: string,
  source: Source,
  now: Millis,
): Promise<Document> {
  const { knowledge_base_id: baseId } = await getDocument(tx, organizationId, documentId)
  // Locked in the order of all: the base, its file, the document.
  await lock(tx, tx.selectFrom('knowledge_base').select('id').where('id', '=', baseId)).execute()
  const from = await readMaterial(tx, deps, organizationId, source)
  const row = await getDocument(tx, organizationId, documentId, lock)
  const { id } = row
  await refuseDuplicate(tx, baseId, from, id)
  const present = sourceToIndex(row)
  const isSame =
    present.name === from.name && present.file_id === from.fileId && present.sha256 === from.sha256
  if (isSame && row.status !== 'failed') return row
  await dropVersion(tx, deps, row, now)
  await setNext(tx, id, from)
  await tx
    .updateTable('document')
    .set({ ...NOT_INDEXED, status: 'queued', error_code: null, error_reason: null })
    .set({ queued_at: now, updated_at: now })
    .where('id', '=', id)
    .execute()
  if (from.isReady) await queueDocument(tx, deps.jobs, row, now)
  noteChanges(tx, 'document', [row])
  afterCommit(tx, deps.removeSoon)
  return getDocument(tx, organizationId, id)
}
