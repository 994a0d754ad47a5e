import type { Id } from '../../core/id.ts'
import type { Database, Db } from '../../db/database.ts'
import type { Location } from '../deps.ts'
import type { Scored } from './rank.ts'
import { searchText } from './search-text.ts'

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

interface SearchDeps {
  database: Database
}

/** Searches knowledge bases. */
export type Search = (question: Question) => Promise<Found>

export function createSearch({ database }: SearchDeps): Search {
  return async ({ baseIds, query, limit, mode }) => {
    const scored = await searchText(database, baseIds, query)
    const reason = mode === 'vector' ? 'not_configured' : null
    return { passages: await readPassages(database.db, scored.slice(0, limit)), mode: 'text', reason }
  }
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
