import { type Millis, SECOND } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Db } from '../../db/database.ts'
import type { KnowledgeBase } from '../base-row.ts'
import type { KnowledgeDeps, Location } from '../deps.ts'
import { queryTerms } from './query-terms.ts'
import { fuse, type Scored } from './rank.ts'
import type { Ranker } from './ranker.ts'
import { searchText } from './search-text.ts'
import { searchVectors, whyNoVectors } from './search-vectors.ts'
import { createTurns } from './turns.ts'

/** What is searched. */
export interface Question {
  organizationId: Id<'organization'>
  /** Bases of the organization that are there: who asks has checked it. */
  baseIds: Id<'knowledgeBase'>[]
  query: string
  limit: number
  mode: 'auto' | 'text' | 'vector'
}

/** A chunk that was found. */
export interface Passage {
  documentId: Id<'document'>
  documentName: string
  knowledgeBaseId: Id<'knowledgeBase'>
  chunkId: string
  text: string
  location: Location
  score: number
}

/** By what was searched. */
export type Mode = 'text' | 'vector' | 'both'

export interface Found {
  passages: Passage[]
  mode: Mode
  /** Why it was not by what was asked for; null where it was. */
  reason: string | null
}

/** How long a search waits for the vector of its query. */
const QUERY_DEADLINE: Millis = 5 * SECOND
/** After a failure the endpoint is left alone so long. */
const QUIET: Millis = 10 * SECOND

/** Where what is found changes all the time. */
const MOST_TRIES = 3

type SearchDeps = Pick<KnowledgeDeps, 'clock' | 'database' | 'embeddings'> & { ranker: Ranker }

/** Searches knowledge bases. */
export type Search = (question: Question) => Promise<Found>

export function createSearch({ clock, database, embeddings, ranker }: SearchDeps): Search {
  const { db } = database
  const turns = createTurns(database.reader.atOnce)
  let quietUntil: Millis = 0

  /** The vector of a query; undefined where there is none now. */
  async function vectorOf(query: string, owner: string): Promise<Float32Array | undefined> {
    if (embeddings === undefined || clock.now() < quietUntil) return undefined
    const vectors = await embeddings.embed([query], { owner, deadline: QUERY_DEADLINE })
    if (Array.isArray(vectors)) return vectors[0]
    quietUntil = clock.now() + QUIET
    return undefined
  }

  /** The bases that are searched by vectors, and why another is not. */
  async function byVectors(bases: Base[]): Promise<{ usable: Base['id'][]; reason: string | null }> {
    const reasons = await Promise.all(bases.map((base) => whyNoVectors(db, base, embeddings?.model)))
    const usable = bases.filter((_, index) => reasons[index] === undefined).map(({ id }) => id)
    return { usable, reason: reasons.find((reason) => reason !== undefined) ?? null }
  }

  /** Which lists of chunks a question is answered with. */
  async function lists({ organizationId, query, mode }: Question, bases: Base[]): Promise<Lists> {
    const ids = bases.map(({ id }) => id)
    const text = () => turns(organizationId, () => searchText({ database, ranker }, ids, query))
    if (mode === 'text' || queryTerms(query).length === 0)
      return { found: [await text()], mode: 'text', reason: null }
    const { usable, reason } = await byVectors(bases)
    // Of a base that is not meant for vectors nobody misses them unless they were asked for.
    const said = mode === 'auto' && reason === 'no_embedding' ? null : reason
    if (usable.length === 0) return { found: [await text()], mode: 'text', reason: said }
    const vector = await vectorOf(query, organizationId)
    if (vector === undefined || embeddings === undefined)
      return { found: [await text()], mode: 'text', reason: 'embeddings_unavailable' }
    const near = await turns(organizationId, () => searchVectors(database, usable, embeddings.model, vector))
    if (mode === 'vector') return { found: [near], mode: 'vector', reason: said }
    return { found: [await text(), near], mode: 'both', reason: said }
  }

  async function answer(question: Question): Promise<Found & { isWhole: boolean }> {
    // Asked for again, whoever has named them: a base may have been deleted since.
    const bases = await db
      .selectFrom('knowledge_base')
      .select(['id', 'embedding'])
      .where('id', 'in', question.baseIds.length === 0 ? ['' as Id<'knowledgeBase'>] : question.baseIds)
      .where('organization_id', '=', question.organizationId)
      .where('deleted_at', 'is', null)
      .execute()
    const { found, mode, reason } = await lists(question, bases)
    const [only = []] = found
    const scored = (found.length === 1 ? only : fuse(found)).slice(0, question.limit)
    const passages = await readPassages(db, scored)
    return { passages, mode, reason, isWhole: passages.length === scored.length }
  }

  return async (question) => {
    for (let tries = MOST_TRIES; ; tries -= 1) {
      const { isWhole, ...found } = await answer(question)
      // What was found is not there any more: another version has taken its place, and is found instead.
      if (isWhole || tries === 1) return found
    }
  }
}

type Base = Pick<KnowledgeBase, 'id' | 'embedding'>

interface Lists extends Pick<Found, 'mode' | 'reason'> {
  found: Scored[][]
}

/** In their order; without those that were removed just now. */
async function readPassages(db: Db, scored: Scored[]): Promise<Passage[]> {
  if (scored.length === 0) return []
  const ids = scored.map(({ id }) => id)
  const rows = await db
    .selectFrom('chunk')
    .innerJoin('document', (join) =>
      join.onRef('document.id', '=', 'chunk.document_id').onRef('document.version', '=', 'chunk.version'),
    )
    .selectAll('chunk')
    .select('document.name')
    .where('chunk.id', 'in', ids)
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return scored.flatMap(({ id, score }) => {
    const row = byId.get(id)
    if (row === undefined) return []
    const { page, sheet, heading } = row
    const location: Location = {
      ...(page === null ? {} : { page }),
      ...(sheet === null ? {} : { sheet }),
      ...(heading === null ? {} : { heading }),
    }
    return {
      documentId: row.document_id,
      documentName: row.name,
      knowledgeBaseId: row.knowledge_base_id,
      chunkId: `${row.document_id}:${row.position}`,
      text: row.text,
      location,
      score,
    }
  })
}
