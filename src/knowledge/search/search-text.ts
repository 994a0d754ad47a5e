import { sql } from 'kysely'
import type { Id } from '../../core/id.ts'
import type { Database, Db } from '../../db/database.ts'
import { groupOf } from '../indexing/staged.ts'
import { queryTerms } from './query-terms.ts'
import type { Candidate, Scored } from './rank.ts'
import type { Ranker } from './ranker.ts'

/** What the engine's own rank chooses is ordered by ours. */
const CANDIDATES = 100
/** Where chunks that are just being written or removed take the places of those that are found, more are asked for. */
const GROWTH = 8
const MOST_CANDIDATES = 25_600

interface TextDeps {
  database: Pick<Database, 'db' | 'reader' | 'textIndex'>
  ranker: Ranker
}

/** The chunks of knowledge bases that have words of a query, the best first. */
export async function searchText(
  { database, ranker }: TextDeps,
  baseIds: Id<'knowledgeBase'>[],
  query: string,
): Promise<Scored[]> {
  const terms = queryTerms(query)
  if (terms.length === 0 || baseIds.length === 0) return []
  for (let limit = CANDIDATES; ; limit *= GROWTH) {
    const { matches, visible } = await readVisible(database, baseIds, terms, limit)
    const candidates = visible.slice(0, CANDIDATES)
    if (candidates.length < CANDIDATES && matches === limit && limit < MOST_CANDIDATES) continue
    const universe = matches < limit ? await countChunks(database.db, baseIds) : candidates.length
    return ranker.rank({ candidates, terms, universe })
  }
}

/**
 * What the index has of some terms, and of that what is found: of the version that its document has. By one statement, so that
 * one version is found where another takes its place meanwhile, and neither both nor none.
 */
async function readVisible(
  { db, reader, textIndex }: TextDeps['database'],
  baseIds: Id<'knowledgeBase'>[],
  terms: string[],
  limit: number,
): Promise<{ matches: number; visible: Candidate[] }> {
  const matching = textIndex.matching({ groups: baseIds.map(groupOf), terms, limit })
  const isVisible = sql`document.id is not null`
  const query = sql<{ id: number; text: string | null; heading: string | null }>`
    with found as materialized (${matching})
    select found.id, case when ${isVisible} then chunk.text end as text, chunk.heading
    from found
    left join chunk on chunk.id = found.id and chunk.knowledge_base_id in (${sql.join(baseIds)})
    left join document on document.id = chunk.document_id and document.version = chunk.version
    order by found.weight, found.id`
  const rows = await reader.rows(query.compile(db))
  const visible = rows.flatMap(({ id, text, heading }) => (text === null ? [] : { id, text, heading }))
  return { matches: rows.length, visible }
}

async function countChunks(db: Db, baseIds: Id<'knowledgeBase'>[]): Promise<number> {
  const { chunks } = await db
    .selectFrom('knowledge_count')
    .select(({ fn }) => fn.sum<number>('chunks').as('chunks'))
    .where('knowledge_base_id', 'in', baseIds)
    .executeTakeFirstOrThrow()
  return Number(chunks ?? 0)
}
