import type { Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { type Id, newId } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import { addToCount, compactCounts } from '../base-count.ts'
import { getBase } from '../base-row.ts'
import type { KnowledgeDeps } from '../deps.ts'
import { type Document, queueDocument } from './document-row.ts'
import { refuseDuplicate, resolveSource, type Source } from './document-source.ts'

/** Documents of a knowledge base, at most. */
const MOST_DOCUMENTS = 10_000

/**
 * Adds a document to a knowledge base. It is indexed as soon as its text exists; a file may still be in processing.
 * @throws ApiError ENTITY_NOT_FOUND, DUPLICATE, FORBIDDEN
 */
export async function addDocument(
  tx: Tx,
  deps: Pick<KnowledgeDeps, 'jobs' | 'findFile'>,
  {
    organizationId,
    actorId,
    baseId,
  }: { organizationId: Id<'organization'>; actorId: string; baseId: string },
  source: Source,
  now: Millis,
): Promise<Document> {
  // Locked, so that concurrent requests count each other's documents, and none adds to a deleted base.
  const base = await getBase(tx, organizationId, baseId, { rowLock: lock })
  const from = await resolveSource(tx, deps, organizationId, source)
  await refuseDuplicate(tx, base.id, from)
  const { documents } = await compactCounts(tx, base.id)
  if (documents >= MOST_DOCUMENTS)
    throw new ApiError('FORBIDDEN', { reason: 'too_many_documents', limit: MOST_DOCUMENTS })
  const row: Document = {
    id: newId('document', now),
    organization_id: organizationId,
    knowledge_base_id: base.id,
    name: from.name,
    file_id: from.fileId,
    sha256: from.sha256,
    ...{ next_name: null, next_file_id: null, next_sha256: null },
    status: 'queued',
    ...{ error_code: null, error_reason: null, job_id: null, reservation: null },
    ...{ version: 0, staging: 0, staged_chunks: 0, chunks: 0, chars: 0, text_id: null, embedding: null },
    ...{ created_by: actorId, queued_at: now, created_at: now, updated_at: now, indexed_at: null },
  }
  await tx.insertInto('document').values(row).execute()
  await addToCount(tx, base.id, { documents: 1 })
  if (from.text !== null)
    await tx.insertInto('document_text').values({ document_id: row.id, text: from.text }).execute()
  return { ...row, job_id: await queueDocument(tx, deps.jobs, row, from.isReady, now) }
}
