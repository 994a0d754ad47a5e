import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { passageTerms } from '../../core/text/terms.ts'
import { type Database, noteChanges } from '../../db/database.ts'
import { lock, lockShared } from '../../db/locking.ts'
import type { Charge } from '../../shared/charge.ts'
import { addToCount, compactCounts } from '../base-count.ts'
import type { Document } from '../documents/document-row.ts'
import { contentToIndex } from '../documents/replacement.ts'
import type { Chunk } from './chunks.ts'

/** Chunks of a document and of a knowledge base, at most. */
export const MOST_CHUNKS = { document: 20_000, base: 100_000 } as const
/** Chunks per price of indexing. */
const CHUNKS_A_PRICE = 100

/** A chunk to be written, with its vector where its base has vectors. */
interface ChunkToWrite extends Chunk {
  position: number
  vector: Float32Array | undefined
}

/** A version that is being written. */
export interface StagedVersion {
  organizationId: Id<'organization'>
  documentId: Id<'document'>
  baseId: Id<'knowledgeBase'>
  version: number
  jobId: Id<'job'>
  /** The name of the document, which is part of the search terms of its chunks. */
  name: string
  /** The embedding model of its base. */
  embedding: string | null
}

/** The group of a base's chunks in the text index. */
export function textGroupOf(baseId: Id<'knowledgeBase'>): string {
  return baseId.replace(/[^a-z0-9]/g, '')
}

interface BeginDeps {
  database: Database
  charge: Charge
  /** Credits per `CHUNKS_A_PRICE` chunks. */
  price: number
}

/**
 * Begins a version of a document, which no search finds until it is complete. Chunks of an earlier attempt are marked for
 * removal.
 * @returns the version; `base_full` where the base has no room; undefined where the document has another job or none
 * @throws ApiError INSUFFICIENT_CREDITS
 */
export async function beginVersion(
  { database, charge, price }: BeginDeps,
  { id: documentId, job_id: jobId, organization_id: organizationId, knowledge_base_id }: Document,
  chunks: number,
  now: Millis,
): Promise<StagedVersion | 'base_full' | undefined> {
  return database.tx(async (tx) => {
    // Locked, so that concurrent beginnings count each other's chunks.
    const base = await lock(
      tx,
      tx.selectFrom('knowledge_base').selectAll().where('id', '=', knowledge_base_id),
    ).executeTakeFirst()
    const row = await lock(
      tx,
      tx.selectFrom('document').selectAll().where('id', '=', documentId).where('job_id', '=', jobId),
    ).executeTakeFirst()
    if (base === undefined || base.deleted_at !== null || row === undefined || jobId === null)
      return undefined
    const others = (await compactCounts(tx, base.id)).chunks - row.chunks - row.staged_chunks
    if (others + chunks > MOST_CHUNKS.base) return 'base_full'
    if (row.reservation !== null) await charge.release(tx, JSON.parse(row.reservation), now)
    const reservation = await charge.reserve(tx, {
      ...{ organizationId, action: 'document.index', reference: documentId, now },
      credits: price * Math.ceil(chunks / CHUNKS_A_PRICE),
    })
    if (row.staging !== row.version)
      await tx.insertInto('removal').values({ document_id: documentId, version: row.staging }).execute()
    const version = row.staging + 1
    await addToCount(tx, base.id, { chunks: chunks - row.staged_chunks })
    await tx
      .updateTable('document')
      .set({ status: 'indexing', staging: version, staged_chunks: chunks })
      .set({ reservation: JSON.stringify(reservation), updated_at: now })
      .where('id', '=', documentId)
      .execute()
    noteChanges(tx, 'document', [row])
    return {
      organizationId,
      documentId,
      baseId: base.id,
      version,
      jobId,
      name: contentToIndex(row).name,
      embedding: base.embedding,
    }
  })
}

/** Writes chunks of a version. @returns false where the version is obsolete */
export async function writeChunks(
  database: Database,
  staged: StagedVersion,
  chunks: ChunkToWrite[],
): Promise<boolean> {
  const { organizationId, documentId, baseId, version, jobId, name } = staged
  const group = textGroupOf(baseId)
  const terms = new Map(
    chunks.map(({ position, text, location: { heading = null, sheet = null } }) => [
      position,
      passageTerms({ text, heading, sheet, name }),
    ]),
  )
  return database.tx(async (tx) => {
    // Locked for share: a deletion or a new version happens before these chunks, or finds them.
    const held = await lockShared(
      tx,
      tx
        .selectFrom('document')
        .select('id')
        .where('id', '=', documentId)
        .where('staging', '=', version)
        .where('job_id', '=', jobId),
    ).executeTakeFirst()
    if (held === undefined) return false
    const place = { knowledge_base_id: baseId, document_id: documentId, version }
    const rows = await tx
      .insertInto('chunk')
      .values(
        chunks.map(({ position, text, location: { page, sheet, heading } }) => ({
          organization_id: organizationId,
          ...place,
          ...{ position, text, page: page ?? null, sheet: sheet ?? null, heading: heading ?? null },
        })),
      )
      .returning(['id', 'position'])
      .execute()
    const idOf = new Map(rows.map(({ id, position }) => [position, id]))
    await database.textIndex.add(
      tx,
      rows.map(({ id, position }) => ({ id, group, ...(terms.get(position) ?? { terms: [], length: 0 }) })),
    )
    const vectors = chunks.flatMap(({ position, vector }) =>
      vector === undefined
        ? []
        : [{ ...place, chunk_id: idOf.get(position) as number, vector: bytesOf(vector) }],
    )
    if (vectors.length > 0) await tx.insertInto('chunk_vector').values(vectors).execute()
    return true
  })
}

function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}
