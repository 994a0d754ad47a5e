import type { Id } from '../../core/id.ts'
import type { Db } from '../../db/database.ts'
import { chunkIdOf, locationOf } from '../chunk-wire.ts'
import type { Location } from '../deps.ts'
import type { Scored } from './rank.ts'

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

/** A chunk as it is read, with the name of its document. */
export interface ChunkRow {
  id: number
  knowledge_base_id: Id<'knowledgeBase'>
  document_id: Id<'document'>
  position: number
  text: string
  page: number | null
  sheet: string | null
  heading: string | null
  name: string
}

/** Reads chunks and skips removed ones. */
export async function readChunks(db: Db, scored: Scored[]): Promise<ChunkRow[]> {
  if (scored.length === 0) return []
  const ids = scored.map(({ id }) => id)
  return db
    .selectFrom('chunk')
    .innerJoin('document', (join) =>
      join.onRef('document.id', '=', 'chunk.document_id').onRef('document.version', '=', 'chunk.version'),
    )
    .selectAll('chunk')
    .select('document.name')
    .where('chunk.id', 'in', ids)
    .execute()
}

/** Makes passages in the order of the scores; missing chunks are skipped. */
export function toPassages(rows: ChunkRow[], scored: Scored[]): Passage[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return scored.flatMap(({ id, score }) => {
    const row = byId.get(id)
    return row === undefined ? [] : toPassage(row, score)
  })
}

function toPassage(row: ChunkRow, score: number): Passage {
  return {
    documentId: row.document_id,
    documentName: row.name,
    knowledgeBaseId: row.knowledge_base_id,
    chunkId: chunkIdOf(row.document_id, row.position),
    text: row.text,
    location: locationOf(row),
    score,
  }
}
