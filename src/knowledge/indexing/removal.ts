import { type Clock, type Millis, SECOND, turn } from '../../core/clock.ts'
import { createLoop, type Loop } from '../../core/loop.ts'
import type { Database } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import type { KnowledgeDeps } from '../deps.ts'
import { removeDocuments } from '../documents/document-row.ts'

/** Rows per commit. */
const CHUNKS_A_STEP = 200
const DOCUMENTS_A_STEP = 100

interface RemovalDeps extends Pick<KnowledgeDeps, 'charge'> {
  database: Database
  clock: Clock
  log: { error(data: object, message: string): void }
}

/** Removes rows that no search finds, in steps: chunks of documents and versions, and documents of deleted bases. */
export function createRemoval({ database, clock, log, charge }: RemovalDeps): Loop {
  return createLoop({
    clock,
    log,
    every: 10 * SECOND,
    name: 'removal of chunks',
    async run(isOver) {
      const { background } = database
      const isMore = async () =>
        (await removeChunks(background)) || (await removeOfBases(background, charge, clock.now()))
      while (!isOver() && (await isMore())) await turn()
    },
  })
}

/** @returns whether there may be more */
async function removeChunks(database: Database): Promise<boolean> {
  return database.tx(async (tx) => {
    const removal = await tx.selectFrom('removal').selectAll().orderBy('id').limit(1).executeTakeFirst()
    if (removal === undefined) return false
    const { document_id, version } = removal
    const chunks = await tx
      .selectFrom('chunk')
      .select('id')
      .where('document_id', '=', document_id)
      .$if(version !== null, (query) => query.where('version', '=', version))
      .limit(CHUNKS_A_STEP)
      .execute()
    const ids = chunks.map(({ id }) => id)
    if (ids.length > 0) {
      await database.textIndex.remove(tx, ids)
      await tx.deleteFrom('chunk_vector').where('chunk_id', 'in', ids).execute()
      await tx.deleteFrom('chunk').where('id', 'in', ids).execute()
    }
    if (ids.length < CHUNKS_A_STEP) await tx.deleteFrom('removal').where('id', '=', removal.id).execute()
    return true
  })
}

/** @returns whether there may be more */
async function removeOfBases(
  database: Database,
  charge: RemovalDeps['charge'],
  now: Millis,
): Promise<boolean> {
  return database.tx(async (tx) => {
    const base = await tx
      .selectFrom('knowledge_base')
      .select('id')
      .where('deleted_at', 'is not', null)
      .limit(1)
      .executeTakeFirst()
    if (base === undefined) return false
    const documents = await lock(
      tx,
      tx
        .selectFrom('document')
        .select('id')
        .where('knowledge_base_id', '=', base.id)
        .orderBy('id')
        .limit(DOCUMENTS_A_STEP),
    ).execute()
    const ids = documents.map(({ id }) => id)
    await removeDocuments(tx, { charge }, ids, now)
    if (documents.length >= DOCUMENTS_A_STEP) return true
    await tx.deleteFrom('knowledge_count').where('knowledge_base_id', '=', base.id).execute()
    await tx.deleteFrom('knowledge_base').where('id', '=', base.id).execute()
    return true
  })
}
