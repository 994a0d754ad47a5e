import type { Millis } from '../../core/clock.ts'
import { noteChanges, type Tx } from '../../db/database.ts'
import { toFailure } from '../../shared/failure.ts'
import { addToCount } from '../base-count.ts'
import type { KnowledgeDeps } from '../deps.ts'
import type { Document } from './document-row.ts'

/** Why a document could not be indexed: a code of the catalogue, and the case of it. */
export interface IndexFailure {
  code: string
  reason: string | null
}

/** The columns of a document that nothing indexes. */
export const NOT_INDEXED = { job_id: null, reservation: null, staged_chunks: 0 } as const

/**
 * Ends what indexes a document without an outcome: its credits are given back, its room in the base is free, and its passages are
 * removed. The row must be locked, and gets `NOT_INDEXED` or another job after it. The job finds that it is not the document's
 * any more: to cancel it would lock it after the document, and who ends it does that the other way round.
 */
export async function dropVersion(
  tx: Tx,
  { charge }: Pick<KnowledgeDeps, 'charge'>,
  { id, knowledge_base_id: baseId, version, staging, staged_chunks, reservation }: Document,
  now: Millis,
): Promise<void> {
  if (reservation !== null) await charge.release(tx, JSON.parse(reservation), now)
  await addToCount(tx, baseId, { chunks: -staged_chunks })
  if (staging !== version)
    await tx.insertInto('removal').values({ document_id: id, version: staging }).execute()
}

/** The indexing of a document has failed; what an earlier one made of it is found still. The row must be locked. */
export async function failDocument(
  tx: Tx,
  deps: Pick<KnowledgeDeps, 'charge' | 'publish'>,
  row: Document,
  { code, reason }: IndexFailure,
  now: Millis,
): Promise<void> {
  await dropVersion(tx, deps, row, now)
  await tx
    .updateTable('document')
    .set({ ...NOT_INDEXED, status: 'failed', updated_at: now })
    .set({ error_code: code, error_reason: reason })
    .where('id', '=', row.id)
    .execute()
  await reportEnd(tx, deps, row, now)
}

/** Publishes how a document's indexing has ended, and shows it to readers of the live stream. */
export async function reportEnd(
  tx: Tx,
  { publish }: Pick<KnowledgeDeps, 'publish'>,
  { id, organization_id }: Pick<Document, 'id' | 'organization_id'>,
  now: Millis,
): Promise<void> {
  noteChanges(tx, 'document', [{ id, organization_id }])
  const row = await tx
    .selectFrom('document')
    .innerJoin('knowledge_base', 'knowledge_base.id', 'document.knowledge_base_id')
    .selectAll('document')
    .where('document.id', '=', id)
    .where('knowledge_base.deleted_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined) return
  const data = {
    documentId: row.id,
    knowledgeBaseId: row.knowledge_base_id,
    name: row.name,
    status: row.status,
    chunks: row.chunks,
    durationMs: Math.max(0, now - row.queued_at),
    error: toFailure(row),
  }
  await publish(tx, now, { organizationId: row.organization_id, type: 'document.indexed', data })
}
