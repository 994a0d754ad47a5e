import { type RawBuilder, sql } from 'kysely'
import type { Id } from '../../core/id.ts'
import { weightOf } from '../../core/text/bm25.ts'
import type { Database } from '../../db/database.ts'
import type { WeightedTerm } from '../../db/engine/text-index.ts'
import { textGroupOf } from '../indexing/staged-version.ts'
import type { CountTerms } from './count-terms.ts'
import type { ChunkRow } from './passages.ts'
import { queryTerms } from './query-terms.ts'
import type { Scored } from './rank.ts'
import type { Ranker } from './ranker.ts'

/** The candidates of the engine are ordered again by our own rank. */
const CANDIDATES = 100
/**
 * Chunks that are weighed for a search: a base of no more is searched by all terms, a larger one by terms that together have no
 * more, or by the rarest alone.
 */
const MOST_WEIGHED = 5_000
/** More candidates are asked for where chunks that are being written or removed take their places. */
const GROWTH = 8
const MOST_CANDIDATES = 25_600

interface TextDeps {
  database: Pick<Database, 'db' | 'reader' | 'textIndex'>
  ranker: Ranker
  countTerms: CountTerms
}

/** A base that is searched, and how many chunks it has. */
interface Searched {
  id: Id<'knowledgeBase'>
  chunks: number
}

/** The chunks that have words of a query, the best first. All of it was read at one moment. */
interface FoundText {
  scored: Scored[]
  chunks: ChunkRow[]
}

/** The chunks of knowledge bases that have words of a query. */
export async function searchText(
  { database, ranker, countTerms }: TextDeps,
  bases: Searched[],
  query: string,
): Promise<FoundText> {
  const words = queryTerms(query)
  if (words.length === 0 || bases.length === 0) return { scored: [], chunks: [] }
  const baseIds = bases.map(({ id }) => id)
  const groups = baseIds.map(textGroupOf)
  const all = bases.reduce((sum, base) => sum + base.chunks, 0)
  const names = words.map(({ term }) => term)
  const isSmall = all <= MOST_WEIGHED
  const { countAndFind } = database.textIndex
  /**
   * The weights of terms, by the number of chunks that have each. Another way to write a word has none where no chunk has it.
   */
  const weigh = (having: number[]): Counted[] =>
    words.flatMap(({ term, isOwn }, place) => {
      const rows = having[place] ?? 0
      return rows === 0 && !isOwn ? [] : [{ term, having: rows, weight: weightOf(rows, all) }]
    })

  let terms: Counted[] = []
  let matching: (limit: number) => RawBuilder<Match>
  if (isSmall && countAndFind !== undefined)
    matching = (limit) => countAndFind({ groups, terms: names, all, limit })
  else {
    terms = weigh(await countTerms(groups, names))
    const chosen = isSmall ? terms.filter(({ having }) => having > 0) : rarest(terms)
    if (chosen.length === 0) return { scored: [], chunks: [] }
    matching = (limit) => database.textIndex.findRows({ groups, terms: chosen, limit })
  }
  for (let limit = CANDIDATES; ; limit *= GROWTH) {
    const { matches, visible, counts } = await readVisible(database, baseIds, matching(limit))
    if (counts !== undefined) terms = weigh(counts.split(',').map(Number))
    const chunks = visible.slice(0, CANDIDATES)
    if (chunks.length < CANDIDATES && matches === limit && limit < MOST_CANDIDATES) continue
    const candidates = chunks
      .toSorted(byAge)
      .map(({ id, text, heading, sheet, name }) => ({ id, text, heading, sheet, name }))
    return { scored: await ranker.rank({ candidates, terms }), chunks }
  }
}

/** A chunk that the index has found, and where it was counted on the way, how many have each term. */
interface Match {
  id: number
  weight: number
  counts?: string
}

interface Counted extends WeightedTerm {
  /** The number of chunks that have the term, with chunks that are being written or removed. */
  having: number
}

/**
 * The terms that bring candidates: the rarest first, up to `MOST_WEIGHED` chunks. More frequent terms order candidates and
 * bring none: else all chunks of an organization whose every chunk has them would be weighed for each search.
 */
function rarest(terms: Counted[]): Counted[] {
  const chosen: Counted[] = []
  let chunks = 0
  for (const term of terms.filter(({ having }) => having > 0).sort((a, b) => a.having - b.having)) {
    if (chosen.length > 0 && chunks + term.having > MOST_WEIGHED) break
    chosen.push(term)
    chunks += term.having
  }
  return chosen
}

/** In the order in which the documents were added, not that of their indexing. */
function byAge(a: ChunkRow, b: ChunkRow): number {
  if (a.document_id !== b.document_id) return a.document_id < b.document_id ? -1 : 1
  return a.position - b.position
}

/**
 * Chunks that have some of the terms, of the version that their document has. One statement, so that of two versions of a
 * document exactly one is found.
 */
async function readVisible(
  { db, reader }: TextDeps['database'],
  baseIds: Id<'knowledgeBase'>[],
  matching: RawBuilder<Match>,
): Promise<{ matches: number; visible: ChunkRow[]; counts: string | undefined }> {
  const isVisible = sql`document.id is not null`
  const query = sql<Omit<ChunkRow, 'text'> & Match & { text: string | null }>`
    with found as materialized (${matching})
    select found.*, case when ${isVisible} then chunk.text end as text, chunk.heading, chunk.page, chunk.sheet,
      chunk.position, chunk.knowledge_base_id, chunk.document_id, document.name
    from found
    left join chunk on chunk.id = found.id and chunk.knowledge_base_id in (${sql.join(baseIds)})
    left join document on document.id = chunk.document_id and document.version = chunk.version
    order by found.weight, found.id`
  const rows = await reader.rows(query.compile(db))
  const visible = rows.flatMap((row) => (row.text === null ? [] : { ...row, text: row.text }))
  return { matches: rows.length, visible, counts: rows[0]?.counts }
}
