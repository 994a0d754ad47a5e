import { sql } from 'kysely'
import type { Id } from '../../core/id.ts'
import type { Database } from '../../db/database.ts'
import { groupOf } from '../indexing/staged.ts'
import type { ChunkRow } from './passages.ts'
import { queryTerms } from './query-terms.ts'
import type { Scored } from './rank.ts'
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

/** A base that is searched, and how many chunks it has. */
interface Searched {
  id: Id<'knowledgeBase'>
  chunks: number
}

/** What has words of a query, the best first, and the chunks themselves: all that is told of them was read at one moment. */
export interface FoundText {
  scored: Scored[]
  chunks: ChunkRow[]
}

/** The chunks of knowledge bases that have words of a query. */
export async function searchText(
  { database, ranker }: TextDeps,
  bases: Searched[],
  query: string,
): Promise<FoundText> {
  const terms = queryTerms(query)
  if (terms.length === 0 || bases.length === 0) return { scored: [], chunks: [] }
  const baseIds = bases.map(({ id }) => id)
  for (let limit = CANDIDATES; ; limit *= GROWTH) {
    const { matches, visible } = await readVisible(database, baseIds, terms, limit)
    const chunks = visible.slice(0, CANDIDATES)
    if (chunks.length < CANDIDATES && matches === limit && limit < MOST_CANDIDATES) continue
    const universe = matches < limit ? bases.reduce((sum, base) => sum + base.chunks, 0) : chunks.length
    const candidates = chunks.map(({ id, text, heading }) => ({ id, text, heading }))
    return { scored: await ranker.rank({ candidates, terms, universe }), chunks }
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
): Promise<{ matches: number; visible: ChunkRow[] }> {
  const matching = textIndex.matching({ groups: baseIds.map(groupOf), terms, limit })
  const isVisible = sql`document.id is not null`
  const query = sql<Omit<ChunkRow, 'text'> & { text: string | null }>`
    with found as materialized (${matching})
    select found.id, case when ${isVisible} then chunk.text end as text, chunk.heading, chunk.page, chunk.sheet,
      chunk.position, chunk.knowledge_base_id, chunk.document_id, document.name
    from found
    left join chunk on chunk.id = found.id and chunk.knowledge_base_id in (${sql.join(baseIds)})
    left join document on document.id = chunk.document_id and document.version = chunk.version
    order by found.weight, found.id`
  const rows = await reader.rows(query.compile(db))
  const visible = rows.flatMap((row) => (row.text === null ? [] : { ...row, text: row.text }))
  return { matches: rows.length, visible }
}
