import type { Id } from '../core/id.ts'
import type { Tx } from '../db/database.ts'

/** What is counted of a knowledge base: its documents, and their chunks with those that are just being written. */
export interface BaseCount {
  documents: number
  chunks: number
}

/**
 * Notes what a transaction adds to a base, or takes from it. It waits for nobody: an end of a document would else lock its base
 * after the document, and who begins one does that the other way round.
 */
export async function addToCount(
  tx: Tx,
  baseId: Id<'knowledgeBase'>,
  { documents = 0, chunks = 0 }: Partial<BaseCount>,
): Promise<void> {
  if (documents === 0 && chunks === 0) return
  await tx.insertInto('knowledge_count').values({ knowledge_base_id: baseId, documents, chunks }).execute()
}

/**
 * What a base has, with all that was committed, made one row of. The base must be locked, and whoever adds to it locks it as
 * well, so that no limit is passed; what is taken from it at this moment still counts.
 */
export async function takeCount(tx: Tx, baseId: Id<'knowledgeBase'>): Promise<BaseCount> {
  const rows = await tx
    .deleteFrom('knowledge_count')
    .where('knowledge_base_id', '=', baseId)
    .returning(['documents', 'chunks'])
    .execute()
  const count = { documents: 0, chunks: 0 }
  for (const { documents, chunks } of rows) {
    count.documents += Number(documents)
    count.chunks += Number(chunks)
  }
  await addToCount(tx, baseId, count)
  return count
}
