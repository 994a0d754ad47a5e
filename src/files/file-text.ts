import type { Id } from '../core/id.ts'
import type { Db, Tx } from '../db/database.ts'
import { lockShared } from '../db/locking.ts'
import { type Failure, toFailure } from '../shared/failure.ts'
import type { FileDeps } from './deps.ts'
import type { TextPiece } from './readers/reading.ts'
import { decodePieces } from './stored-text.ts'

/** What other slices may know of a file. */
interface FileFacts {
  status: 'processing' | 'processed' | 'failed'
  name: string
  mediaType: string
  /** Of its bytes, in hex. */
  sha256: string
  /** The job that reads it; null unless it is in processing. */
  jobId: Id<'job'> | null
  /** Why the last reading failed; null while it has not. There may be a text of an earlier one. */
  error: Failure | null
}

/**
 * Finds a file of an organization; undefined where the organization has none of that id. In a transaction the row is held: a
 * concurrent end of its processing, or its deletion, comes before, or sees the writes that follow.
 */
export async function findFile(
  db: Db | Tx,
  organizationId: Id<'organization'>,
  fileId: Id<'file'>,
): Promise<FileFacts | undefined> {
  const row = await lockShared(
    db,
    db.selectFrom('file').selectAll().where('id', '=', fileId).where('organization_id', '=', organizationId),
  ).executeTakeFirst()
  if (row === undefined) return undefined
  const { status, name, media_type: mediaType, sha256 } = row
  const jobId = status === 'processing' ? row.job_id : null
  return { status, name, mediaType, sha256, jobId, error: toFailure(row) }
}

/** A file and its text: what is made of files is made of this. */
interface FileText extends FileFacts {
  /** The id of the text, a new one with each reading; null without a text. */
  textId: Id<'blob'> | null
  /** Put together with nothing between, they are the text; none unless it is processed. */
  pieces: TextPiece[]
}

/**
 * Reads a file and its text; undefined where there is none, or it is another organization's.
 * @throws AlteredTextError, MissingBytesError where the text is damaged or gone; what the storage throws
 */
export type ReadFileText = (
  organizationId: Id<'organization'>,
  fileId: Id<'file'>,
) => Promise<FileText | undefined>

export function createReadFileText({ database, blobs }: Pick<FileDeps, 'database' | 'blobs'>): ReadFileText {
  return async (organizationId, fileId) => {
    const facts = await findFile(database.db, organizationId, fileId)
    if (facts?.status !== 'processed') return facts && { ...facts, textId: null, pieces: [] }
    const row = await database.db
      .selectFrom('file')
      .select('text_blob_id')
      .where('id', '=', fileId)
      .where('organization_id', '=', organizationId)
      .executeTakeFirst()
    const pieces: TextPiece[] = []
    if (row?.text_blob_id)
      for await (const { text, location } of decodePieces(await blobs.read(row.text_blob_id)))
        pieces.push({ text, location })
    return { ...facts, textId: row?.text_blob_id ?? null, pieces }
  }
}
