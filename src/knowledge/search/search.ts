import { type Millis, SECOND } from '../../core/clock.ts'
import { createFairLimiter } from '../../core/fair-limiter.ts'
import type { Id } from '../../core/id.ts'
import type { Db } from '../../db/database.ts'
import type { KnowledgeBase } from '../base-row.ts'
import type { KnowledgeDeps } from '../deps.ts'
import { createTermCounts } from './count-terms.ts'
import { fuse } from './fuse.ts'
import { type ChunkRow, type Passage, readChunks, toPassages } from './passages.ts'
import { queryTerms } from './query-terms.ts'
import type { Scored } from './rank.ts'
import type { Ranker } from './ranker.ts'
import { searchText } from './search-text.ts'
import { searchVectors, whyNoVectors } from './search-vectors.ts'

/** A search. */
export interface Question {
  organizationId: Id<'organization'>
  /** Existing bases of the organization, checked by the caller. */
  baseIds: Id<'knowledgeBase'>[]
  query: string
  limit: number
  mode: 'auto' | 'text' | 'vector'
}

/** The way in which the bases were searched. */
export type Mode = 'text' | 'vector' | 'both'

export interface Found {
  passages: Passage[]
  mode: Mode
  /** Why the search did not use the requested mode; null where it did. */
  reason: string | null
}

/** How long a search waits for the vector of its query. */
const QUERY_DEADLINE: Millis = 5 * SECOND
/** The pause of the endpoint after a failure. */
const QUIET: Millis = 10 * SECOND

/** Attempts of a search while its chunks are replaced. */
const MOST_TRIES = 3

type SearchDeps = Pick<KnowledgeDeps, 'clock' | 'database' | 'embeddings'> & { ranker: Ranker }

/** Searches knowledge bases. */
export type Search = (question: Question) => Promise<Found>

export function createSearch({ clock, database, embeddings, ranker }: SearchDeps): Search {
  const { db } = database
  const countTerms = createTermCounts({ clock, database })
  const places = createFairLimiter<Id<'organization'>>(database.reader.atOnce)
  let quietUntil: Millis = 0

  /** The vector of a query; undefined where none is available. */
  async function vectorOf(query: string, owner: string): Promise<Float32Array | undefined> {
    const quiet = quietUntil - clock.now()
    if (embeddings === undefined || (quiet > 0 && quiet <= QUIET)) return undefined
    const vectors = await embeddings.embed([query], { owner, deadline: QUERY_DEADLINE })
    if (Array.isArray(vectors)) return vectors[0]
    quietUntil = clock.now() + QUIET
    return undefined
  }

  /** The bases that can be searched by vectors, and why another cannot. */
  async function byVectors(bases: Base[]): Promise<{ usable: Base['id'][]; reason: string | null }> {
    const reasons = await Promise.all(bases.map((base) => whyNoVectors(db, base, embeddings?.model)))
    const usable = bases.filter((_, index) => reasons[index] === undefined).map(({ id }) => id)
    return { usable, reason: reasons.find((reason) => reason !== undefined) ?? null }
  }

  /** Finds the chunks of a search. */
  async function find({ organizationId, query, mode }: Question, bases: Base[]): Promise<Listed> {
    const text = () =>
      places.use(organizationId, () => searchText({ database, ranker, countTerms }, bases, query))
    const byText = async (reason: string | null, found = text()): Promise<Listed> => {
      const { scored, chunks } = await found
      return { scored, chunks, mode: 'text', reason }
    }
    if (mode === 'text') return byText(null)
    const { usable, reason } = await byVectors(bases)
    // A base without vectors is reported only where the request asked for vectors.
    const reported = mode === 'auto' && reason === 'no_embedding' ? null : reason
    if (usable.length === 0) return byText(reported)
    if (!queryTerms(query).some(({ isOwn }) => isOwn)) return byText('no_words')
    const nearest = async () => {
      const vector = await vectorOf(query, organizationId)
      if (vector === undefined || embeddings === undefined) return undefined
      return places.use(organizationId, () => searchVectors(database, usable, embeddings.model, vector))
    }
    // The search by words does not wait for the vector of the query.
    const [found, near] = await Promise.all([mode === 'auto' ? text() : undefined, nearest()])
    if (near === undefined) return byText('embeddings_unavailable', found && Promise.resolve(found))
    const hasChunks = bases.some(({ id, chunks }) => chunks > 0 && usable.includes(id))
    // The model now makes vectors of another length, or no version with vectors exists yet.
    if (near.length === 0 && hasChunks) return byText('not_comparable', found && Promise.resolve(found))
    if (found === undefined) return { scored: near, mode: 'vector', reason: reported }
    const others = found.chunks.filter((chunk) => !usable.includes(chunk.knowledge_base_id))
    const wordsAlone = new Set(others.map(({ id }) => id))
    const isWordsAlone = (id: number) => wordsAlone.has(id)
    return { scored: fuse({ words: found.scored, near, isWordsAlone }), mode: 'both', reason: reported }
  }

  async function answer(question: Question): Promise<Found & { isWhole: boolean }> {
    const { chunks, mode, reason, ...found } = await find(question, await readBases(db, question))
    const scored = found.scored.slice(0, question.limit)
    const passages = toPassages(chunks ?? (await readChunks(db, scored)), scored)
    return { passages, mode, reason, isWhole: passages.length === scored.length }
  }

  return async (question) => {
    for (let tries = MOST_TRIES; ; tries -= 1) {
      const { isWhole, ...found } = await answer(question)
      // A new version has replaced a found chunk, so the search is repeated.
      if (isWhole || tries === 1) return found
    }
  }
}

/** A base, with the number of its chunks, including those that are being written. */
type Base = Pick<KnowledgeBase, 'id' | 'embedding'> & { chunks: number }

interface Listed extends Pick<Found, 'mode' | 'reason'> {
  scored: Scored[]
  /** The chunks, where they were read in the same statement as the scores. */
  chunks?: ChunkRow[]
}

/** Reads the bases of a search again, because a base may have been deleted. */
async function readBases(
  db: Db,
  { organizationId, baseIds }: Pick<Question, 'organizationId' | 'baseIds'>,
): Promise<Base[]> {
  if (baseIds.length === 0) return []
  const rows = await db
    .selectFrom('knowledge_base')
    .select(['id', 'embedding'])
    .select((base) =>
      base
        .selectFrom('knowledge_count')
        .select(({ fn }) => fn.sum<number | string | null>('chunks').as('sum'))
        .whereRef('knowledge_count.knowledge_base_id', '=', 'knowledge_base.id')
        .as('chunks'),
    )
    .where('id', 'in', baseIds)
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .execute()
  return rows.map(({ chunks, ...base }) => ({ ...base, chunks: Number(chunks ?? 0) }))
}
