import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { afterCommit, noteChanges, type Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import type { KnowledgeDeps } from '../deps.ts'
import { type Document, getDocument, queueDocument } from './document-row.ts'
import { refuseDuplicate, resolveSource, type Source } from './document-source.ts'
import { dropVersion, NOT_INDEXED } from './indexing-end.ts'
import { contentToIndex, dropReplacement, isSameContent, setReplacement } from './replacement.ts'

/**
 * Replaces a document. Searches find the old content until the new one is indexed; the last of several replacements counts. Content
 * equal to the current replacement (or to the document, without one) changes nothing, unless its indexing has failed. Content equal to
 * the document withdraws a replacement that is pending or has failed.
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
  // Locked in the usual order: the base, the file, the document.
  await lock(tx, tx.selectFrom('knowledge_base').select('id').where('id', '=', baseId)).execute()
  const from = await resolveSource(tx, deps, organizationId, source)
  const row = await getDocument(tx, organizationId, documentId, lock)
  const { id } = row
  await refuseDuplicate(tx, baseId, from, id)
  const content = { name: from.name, file_id: from.fileId, sha256: from.sha256 }
  if (isSameContent(contentToIndex(row), content) && row.status !== 'failed') return row
  await dropVersion(tx, deps, row, now)
  if (row.next_sha256 !== null && row.version > 0 && isSameContent(row, content))
    return withdrawReplacement(tx, deps, row, now)
  await setReplacement(tx, id, from)
  await tx.updateTable('document').set(NOT_INDEXED).where('id', '=', id).execute()
  await queueDocument(tx, deps.jobs, row, from.isReady, now)
  afterCommit(tx, deps.removeSoon)
  return getDocument(tx, organizationId, id)
}

/** Drops the replacement and marks the document as indexed; `dropVersion` has ended the indexing of the replacement. */
async function withdrawReplacement(
  tx: Tx,
  { removeSoon }: Pick<KnowledgeDeps, 'removeSoon'>,
  { id, organization_id }: Document,
  now: Millis,
): Promise<Document> {
  await dropReplacement(tx, id)
  await tx
    .updateTable('document')
    .set({ ...NOT_INDEXED, status: 'indexed', error_code: null, error_reason: null, updated_at: now })
    .where('id', '=', id)
    .execute()
  noteChanges(tx, 'document', [{ id, organization_id }])
  afterCommit(tx, removeSoon)
  return getDocument(tx, organization_id, id)
}
