import type { Id } from '../core/id.ts'
import type { Tx } from '../db/database.ts'

/** The counts of a knowledge base. Chunks include those that are being written. */
interface BaseCount {
  documents: number
  chunks: number
}

/**
 * Adds a row of changes to the counts of a base. It takes no lock, because the end of an indexing would lock the base after the
 * document, and its beginning locks them in the opposite order.
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
 * Sums the rows of changes of a base into one row. The base must be locked; every addition locks it, so that no limit is exceeded.
 * Uncommitted removals still count as present.
 * @returns the counts
 */
export async function compactCounts(tx: Tx, baseId: Id<'knowledgeBase'>): Promise<BaseCount> {
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
