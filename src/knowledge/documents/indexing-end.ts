import type { Millis } from '../../core/clock.ts'
import { noteChanges, type Tx } from '../../db/database.ts'
import { toFailure } from '../../shared/failure.ts'
import { addToCount } from '../base-count.ts'
import type { KnowledgeDeps } from '../deps.ts'
import type { Document } from './document-row.ts'

/** The cause of a failed indexing: a code of the catalogue and its reason. */
export interface IndexFailure {
  code: string
  reason: string | null
}

/** The columns of a document without a job. */
export const NOT_INDEXED = { job_id: null, reservation: null, staged_chunks: 0 } as const

/**
 * Discards the version that is being indexed: releases its credits and its count in the base, and removes its passages. The row must
 * be locked, and gets `NOT_INDEXED` or another job afterwards. The running job finds that the document has another job: cancelling it
 * here would lock the job after the document, and the end of a job locks in the opposite order.
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

/** Fails the indexing of a document; passages of an earlier indexing are still found. The row must be locked. */
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

/** Publishes the end of a document's indexing as an event and in the live stream. */
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
