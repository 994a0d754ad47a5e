import { systemClock } from '#src/core/clock.ts'
import { type Id, newId } from '#src/core/id.ts'
import type { Database } from '#src/db/database.ts'
import { writeChunks } from '#src/knowledge/indexing/staged-version.ts'
import { wordAt } from '../test/support/notes.ts'

const WORDS_A_CHUNK = 160
const VOCABULARY = 30_000
const STEP = 250
/** The model that the vectors of a base name. */
export const MODEL = 'bench'

export interface Base {
  organizationId: Id<'organization'>
  id: Id<'knowledgeBase'>
}

/** Writes a base with one document of `chunks` chunks. `textAt` makes the text of each. */
export async function seedBase(
  database: Database,
  chunks: number,
  textAt: (index: number) => string,
  vectorOf?: () => Float32Array,
): Promise<Base> {
  const now = systemClock.now()
  const organizationId = newId('organization', now)
  const id = newId('knowledgeBase', now)
  const documentId = newId('document', now)
  const jobId = newId('job', now)
  await database.tx(async (tx) => {
    const organization = {
      id: organizationId,
      name: organizationId,
      plan: 'unlimited',
      flags: '{}',
      created_at: now,
    }
    await tx.insertInto('organization').values(organization).execute()
    const own = { organization_id: organizationId, created_by: null, created_at: now, updated_at: now }
    await tx
      .insertInto('knowledge_base')
      .values({ id, ...own, name: 'Base', embedding: null, deleted_at: null })
      .execute()
    await tx
      .insertInto('document')
      .values({
        ...{
          id: documentId,
          ...own,
          knowledge_base_id: id,
          name: 'Seeded',
          file_id: null,
          sha256: documentId,
        },
        ...{ status: 'indexing', error_code: null, error_reason: null, job_id: jobId, reservation: null },
        ...{ version: 0, staging: 1, staged_chunks: 0, chunks: 0, chars: 0, embedding: null },
        ...{ queued_at: now, indexed_at: null },
      })
      .execute()
  })
  const staged = {
    organizationId,
    documentId,
    baseId: id,
    version: 1,
    jobId,
    name: 'Seeded',
    embedding: null,
  }
  for (let start = 0; start < chunks; start += STEP) {
    const some = Array.from({ length: Math.min(STEP, chunks - start) }, (_, index) => ({
      ...{ text: textAt(start + index), location: {}, position: start + index, vector: vectorOf?.() },
    }))
    await writeChunks(database, staged, some)
  }
  await database.tx((tx) =>
    tx
      .updateTable('document')
      .set({ status: 'indexed', version: 1, chunks, embedding: vectorOf === undefined ? null : MODEL })
      .where('id', '=', documentId)
      .execute(),
  )
  await database.tx((tx) =>
    tx.insertInto('knowledge_count').values({ knowledge_base_id: id, documents: 1, chunks }).execute(),
  )
  return { organizationId, id }
}

/** A word; some are in nearly every text and most in few, as in a language. */
export const word = (random: () => number) => wordAt(Math.floor(VOCABULARY ** random()))
/** Returns a function that makes texts of such words, a new one with each call. */
export const textOf = (random: () => number) => () =>
  Array.from({ length: WORDS_A_CHUNK }, () => word(random)).join(' ')
