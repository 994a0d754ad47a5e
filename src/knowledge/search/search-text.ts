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

/** Candidates that the engine returns; they are ranked again by `rank.ts`. */
const CANDIDATES = 100
/**
 * Chunks that a search weighs, at most. A base of this size is searched by all terms, a larger one by its rarest terms up to this many
 * chunks, at least by one.
 */
const MOST_WEIGHED = 5_000
/** The factor by which more candidates are requested, where invisible chunks (being written or removed) displace others. */
const GROWTH = 8
const MOST_CANDIDATES = 25_600

interface TextDeps {
  database: Pick<Database, 'db' | 'reader' | 'textIndex'>
  ranker: Ranker
  countTerms: CountTerms
}

/** A searched base, with the number of its chunks. */
interface Searched {
  id: Id<'knowledgeBase'>
  chunks: number
}

/** The chunks that have words of a query, best first, read in one statement. */
interface FoundText {
  scored: Scored[]
  chunks: ChunkRow[]
}

/** Searches knowledge bases for the words of a query. */
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
   * The weights of terms by the number of chunks that have each. Another spelling of a word has none where no chunk has it.
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

/** A chunk of the index's result, with the counts of the terms where the same statement counts them. */
interface Match {
  id: number
  weight: number
  counts?: string
}

interface Counted extends WeightedTerm {
  /** The number of chunks that have the term, including chunks that are being written or removed. */
  having: number
}

/**
 * The terms that select candidates: the rarest, up to `MOST_WEIGHED` chunks. More frequent terms only rank the candidates, because
 * otherwise a search would weigh all chunks of a base in which every chunk has them.
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

/** Sorts by the order in which the documents were added, not indexed. */
function byAge(a: ChunkRow, b: ChunkRow): number {
  if (a.document_id !== b.document_id) return a.document_id < b.document_id ? -1 : 1
  return a.position - b.position
}

/**
 * Reads chunks that have some of the terms, of the current version of their documents. One statement, so that exactly one version of a
 * document is found.
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
