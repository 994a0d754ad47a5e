import { sql } from 'kysely'
import type { Id } from '../../core/id.ts'
import type { Database, Db } from '../../db/database.ts'
import type { KnowledgeBase } from '../base-row.ts'
import { byScore, type Scored } from './rank.ts'

/** The number of nearest vectors that are used. */
const CANDIDATES = 100

/** Finds the chunks of knowledge bases whose vectors are nearest to a vector of unit length. */
export async function searchVectors(
  { db, reader }: Pick<Database, 'db' | 'reader'>,
  baseIds: Id<'knowledgeBase'>[],
  model: string,
  vector: Float32Array,
): Promise<Scored[]> {
  const found: Scored[] = []
  for (const baseId of baseIds)
    found.push(
      ...(await reader.nearest(
        (after, take) => vectorsOf(db, baseId, model, after, take),
        vector,
        CANDIDATES,
      )),
    )
  return found.sort(byScore).slice(0, CANDIDATES)
}

/**
 * The page is selected before the join: PostgreSQL expects so few rows of the join that it would read and sort the whole base for each
 * page.
 */
function vectorsOf(db: Db, baseId: Id<'knowledgeBase'>, model: string, after: number, take: number) {
  const isFound = sql`document.id is not null`
  return db
    .selectFrom((page) =>
      page
        .selectFrom('chunk_vector')
        .selectAll()
        .where('knowledge_base_id', '=', baseId)
        .where('chunk_id', '>', after)
        .orderBy('chunk_id')
        .limit(take)
        .as('page'),
    )
    .leftJoin('document', (join) =>
      join
        .onRef('document.id', '=', 'page.document_id')
        .onRef('document.version', '=', 'page.version')
        .on('document.embedding', '=', model),
    )
    .select('page.chunk_id as id')
    .select(sql<Uint8Array | null>`case when ${isFound} then page.vector end`.as('vector'))
    .compile()
}

/** @returns why a base cannot be searched by vectors; undefined where it can */
export async function whyNoVectors(
  db: Db,
  { id, embedding }: Pick<KnowledgeBase, 'id' | 'embedding'>,
  model: string | undefined,
): Promise<string | undefined> {
  if (embedding === null) return 'no_embedding'
  if (embedding !== model) return 'model_not_configured'
  const other = await db
    .selectFrom('document')
    .select('id')
    .where('knowledge_base_id', '=', id)
    .where('version', '>', 0)
    .where(sql<boolean>`embedding is distinct from ${embedding}`)
    .limit(1)
    .executeTakeFirst()
  return other === undefined ? undefined : 'not_indexed_with_model'
}
