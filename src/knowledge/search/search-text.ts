import type { Id } from '../../core/id.ts'
import type { Database, Db } from '../../db/database.ts'
import { groupOf } from '../indexing/staged.ts'
import { queryTerms } from './query-terms.ts'
import { type Candidate, rankByText, type Scored } from './rank.ts'

/** What the engine's own rank chooses is ordered by ours. */
const CANDIDATES = 100
/** Where chunks that are just being written or removed take the places of those that are found, more are asked for. */
const GROWTH = 8
const MOST_CANDIDATES = 25_600
/** Ids of one statement. */
const PAGE = 1_000

/** The chunks of knowledge bases that have words of a query, the best first. */
export async function searchText(
  { db, textIndex }: Pick<Database, 'db' | 'textIndex'>,
  baseIds: Id<'knowledgeBase'>[],
  query: string,
): Promise<Scored[]> {
  const terms = queryTerms(query)
  if (terms.length === 0 || baseIds.length === 0) return []
  const groups = baseIds.map(groupOf)
  for (let limit = CANDIDATES; ; limit *= GROWTH) {
    const found = await textIndex.find({ groups, terms, limit })
    const candidates = await readVisible(db, baseIds, found)
    if (candidates.length < CANDIDATES && found.length === limit && limit < MOST_CANDIDATES) continue
    const universe = found.length < limit ? await countChunks(db, baseIds) : candidates.length
    return rankByText(candidates, terms, universe)
  }
}

/** Of some chunks the first ones that are found: of the version that their document has. */
async function readVisible(db: Db, baseIds: Id<'knowledgeBase'>[], ids: number[]): Promise<Candidate[]> {
  const visible: Candidate[] = []
  for (let start = 0; start < ids.length && visible.length < CANDIDATES; start += PAGE) {
    const some = ids.slice(start, start + PAGE)
    const rows = await db
      .selectFrom('chunk')
      .innerJoin('document', (join) =>
        join.onRef('document.id', '=', 'chunk.document_id').onRef('document.version', '=', 'chunk.version'),
      )
      .select(['chunk.id', 'chunk.text', 'chunk.heading'])
      .where('chunk.id', 'in', some)
      .where('chunk.knowledge_base_id', 'in', baseIds)
      .execute()
    const byId = new Map(rows.map((row) => [row.id, row]))
    visible.push(...some.flatMap((id) => byId.get(id) ?? []))
  }
  return visible.slice(0, CANDIDATES)
}

async function countChunks(db: Db, baseIds: Id<'knowledgeBase'>[]): Promise<number> {
  const { chunks } = await db
    .selectFrom('document')
    .select(({ fn }) => fn.sum<number>('chunks').as('chunks'))
    .where('knowledge_base_id', 'in', baseIds)
    .executeTakeFirstOrThrow()
  return Number(chunks ?? 0)
}
