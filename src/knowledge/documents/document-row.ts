import { HOUR, type Millis } from '../../core/clock.ts'
import { type Id, parseId } from '../../core/id.ts'
import { type Db, noteChanges, type Tx } from '../../db/database.ts'
import type { lock } from '../../db/locking.ts'
import { notFound } from '../../db/owned-row.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { addToCount } from '../base-count.ts'
import type { KnowledgeDeps } from '../deps.ts'

export type Document = Tables['document']

export const INDEXING = 'document.index'
/** A document that is not indexed within this time fails. */
const HORIZON: Millis = 24 * HOUR

/** The payload of a job that indexes a document. */
export interface IndexPayload {
  documentId: Id<'document'>
}

/**
 * A document of the caller's organization, in a knowledge base that is not deleted.
 * @throws ApiError INVALID_UUID, ENTITY_NOT_FOUND
 */
export async function getDocument(
  db: Db | Tx,
  organizationId: Id<'organization'>,
  text: string,
  how?: typeof lock,
): Promise<Document> {
  const id = parseId('document', text)
  const query = db
    .selectFrom('document')
    .selectAll('document')
    .where('document.id', '=', id)
    .where('document.organization_id', '=', organizationId)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('knowledge_base')
          .select('knowledge_base.id')
          .whereRef('knowledge_base.id', '=', 'document.knowledge_base_id')
          .where('deleted_at', 'is', null),
      ),
    )
  const row = await (how === undefined ? query : how(db, query, 'document')).executeTakeFirst()
  if (row === undefined) throw notFound('id', id)
  return row
}

/**
 * Queues a document for indexing. The row must be locked, and have no job.
 * @param isReady whether the text exists; otherwise the end of the file's processing queues the document again
 * @returns the job; null where the document waits for its file
 */
export async function queueDocument(
  tx: Tx,
  jobs: KnowledgeDeps['jobs'],
  { id, organization_id: organizationId }: Pick<Document, 'id' | 'organization_id'>,
  isReady: boolean,
  now: Millis,
): Promise<Id<'job'> | null> {
  const payload: IndexPayload = { documentId: id }
  const job = {
    ...{ kind: INDEXING, organizationId, laneId: organizationId },
    ...{ payload, dueAt: now, horizon: now + HORIZON },
  }
  const jobId = isReady ? await jobs.add(tx, job, now) : null
  await tx
    .updateTable('document')
    .set({
      status: 'queued',
      job_id: jobId,
      error_code: null,
      error_reason: null,
      queued_at: now,
      updated_at: now,
    })
    .where('id', '=', id)
    .execute()
  noteChanges(tx, 'document', [{ id, organization_id: organizationId }])
  return jobId
}

/**
 * Deletes documents, and releases the credits that are reserved for their indexing. Their chunks, which no search finds any more, are
 * removed in steps. A running job finds no document: cancelling it here would lock the job after the document, and the end of a job
 * locks in the opposite order.
 */
export async function removeDocuments(
  tx: Tx,
  { charge }: Pick<KnowledgeDeps, 'charge'>,
  ids: Id<'document'>[],
  now: Millis,
): Promise<void> {
  if (ids.length === 0) return
  await tx
    .insertInto('removal')
    .values(ids.map((document_id) => ({ document_id, version: null })))
    .execute()
  const removed = await tx
    .deleteFrom('document')
    .where('id', 'in', ids)
    .returning(['knowledge_base_id', 'chunks', 'staged_chunks', 'reservation'])
    .execute()
  for (const { knowledge_base_id, chunks, staged_chunks, reservation } of removed) {
    if (reservation !== null) await charge.release(tx, JSON.parse(reservation), now)
    await addToCount(tx, knowledge_base_id, { documents: -1, chunks: -(chunks + staged_chunks) })
  }
}
