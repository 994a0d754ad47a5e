import type { Millis } from '../../core/clock.ts'
import { afterCommit, noteChanges, type Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import type { RowSettlement } from '../../jobs/rows/row.ts'
import { addToCount } from '../base-count.ts'
import type { KnowledgeDeps } from '../deps.ts'
import type { Document, IndexPayload } from '../documents/document-row.ts'
import type { IndexFailure, IndexResult } from './index-document.ts'

type SettledDeps = Pick<KnowledgeDeps, 'charge' | 'publish' | 'removeSoon'>

/**
 * The end of a job that indexes, in the transaction that settles it: the new version is found instead of the old one, or the
 * document has failed and the old one stays; it is paid, or costs nothing; and it is published.
 */
export function settleIndexing(deps: SettledDeps) {
  return async (tx: Tx, { job, status, reason, result }: RowSettlement, now: Millis): Promise<void> => {
    if (status === 'pending') return
    const { documentId } = job.payload as IndexPayload
    const row = await lock(
      tx,
      tx.selectFrom('document').selectAll().where('id', '=', documentId).where('job_id', '=', job.id),
    ).executeTakeFirst()
    // It was deleted.
    if (row === undefined) return
    const outcome = (result ?? failure(reason ?? status)) as IndexResult | IndexFailure
    if ('code' in outcome) await fail(tx, deps, row, outcome, now)
    else await swap(tx, deps, row, outcome, now)
    await report(tx, deps, documentId, now)
    noteChanges(tx, 'document', [row])
    afterCommit(tx, deps.removeSoon)
  }
}

/** The job ended without an outcome: nothing can be indexed, or too many processes died of it. */
function failure(reason: string): IndexFailure {
  return { code: 'INDEXING_FAILED', reason }
}

const ENDED = { job_id: null, reservation: null, staged_chunks: 0 } as const

async function swap(
  tx: Tx,
  { charge }: SettledDeps,
  { id, knowledge_base_id: baseId, version, reservation, chunks, staged_chunks }: Document,
  result: IndexResult,
  now: Millis,
): Promise<void> {
  if (reservation !== null) await charge.settle(tx, JSON.parse(reservation), now)
  await addToCount(tx, baseId, { chunks: result.chunks - chunks - staged_chunks })
  if (version > 0) await tx.insertInto('removal').values({ document_id: id, version }).execute()
  await tx
    .updateTable('document')
    .set({ ...ENDED, ...result, status: 'indexed', updated_at: now, indexed_at: now })
    .where('id', '=', id)
    .execute()
}

async function fail(
  tx: Tx,
  { charge }: SettledDeps,
  { id, knowledge_base_id: baseId, version, staging, staged_chunks, reservation }: Document,
  { code, reason }: IndexFailure,
  now: Millis,
): Promise<void> {
  if (reservation !== null) await charge.release(tx, JSON.parse(reservation), now)
  await addToCount(tx, baseId, { chunks: -staged_chunks })
  if (staging !== version)
    await tx.insertInto('removal').values({ document_id: id, version: staging }).execute()
  await tx
    .updateTable('document')
    .set({ ...ENDED, status: 'failed', updated_at: now })
    .set({ error_code: code, error_reason: reason })
    .where('id', '=', id)
    .execute()
}

/** Publishes how a document's indexing has ended. */
async function report(tx: Tx, { publish }: SettledDeps, id: Document['id'], now: Millis): Promise<void> {
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
    error: row.error_code === null ? null : { code: row.error_code, reason: row.error_reason },
  }
  await publish(tx, now, { organizationId: row.organization_id, type: 'document.indexed', data })
}
