import type { Millis } from '../../core/clock.ts'
import { afterCommit, type Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import type { RowSettlement } from '../../jobs/rows/row.ts'
import { addToCount } from '../base-count.ts'
import type { KnowledgeDeps } from '../deps.ts'
import type { Document, IndexPayload } from '../documents/document-row.ts'
import { failDocument, type IndexFailure, NOT_INDEXED, reportEnd } from '../documents/indexing-end.ts'
import { applyReplacement } from '../documents/replacement.ts'
import type { IndexResult } from './index-document.ts'

type SettleDeps = Pick<KnowledgeDeps, 'charge' | 'publish' | 'removeSoon'>

/**
 * Ends the indexing of a document, in the transaction that settles its job. On success searches find the new version, and it is
 * charged. On failure the old version stays, without a charge. The outcome is published.
 */
export function settleIndexing(deps: SettleDeps) {
  return async (tx: Tx, { job, status, reason, result }: RowSettlement, now: Millis): Promise<void> => {
    if (status === 'pending') return
    const { documentId } = job.payload as IndexPayload
    const row = await lock(
      tx,
      tx.selectFrom('document').selectAll().where('id', '=', documentId).where('job_id', '=', job.id),
    ).executeTakeFirst()
    // The document was deleted or replaced, so it has another job or none.
    if (row === undefined) return
    const outcome = (result ?? failure(reason ?? status)) as IndexResult | IndexFailure
    if ('code' in outcome) await failDocument(tx, deps, row, outcome, now)
    else await swap(tx, deps, row, outcome, now)
    afterCommit(tx, deps.removeSoon)
  }
}

/** The failure of a job without an outcome: nothing to index, or too many crashes. */
function failure(reason: string): IndexFailure {
  return { code: 'INDEXING_FAILED', reason }
}

/** Switches searches to the new version, and moves the replacement into the document. */
async function swap(
  tx: Tx,
  deps: SettleDeps,
  row: Document,
  result: IndexResult,
  now: Millis,
): Promise<void> {
  const { id, knowledge_base_id: baseId, version, reservation, chunks, staged_chunks } = row
  if (reservation !== null) await deps.charge.settle(tx, JSON.parse(reservation), now)
  await addToCount(tx, baseId, { chunks: result.chunks - chunks - staged_chunks })
  if (version > 0) await tx.insertInto('removal').values({ document_id: id, version }).execute()
  await applyReplacement(tx, row)
  await tx
    .updateTable('document')
    .set({ ...NOT_INDEXED, ...result, status: 'indexed', updated_at: now, indexed_at: now })
    .where('id', '=', id)
    .execute()
  await reportEnd(tx, deps, row, now)
}
