import type { Id } from '../core/id.ts'
import type { Db, Tx } from '../db/database.ts'
import { lockShared } from '../db/locking.ts'
import { type Failure, toFailure } from '../shared/failure.ts'
import type { FileDeps } from './deps.ts'
import type { TextPiece } from './readers/reading.ts'
import { decodePieces } from './stored-text.ts'

/** The metadata of a file for other slices. */
interface FileFacts {
  status: 'processing' | 'processed' | 'failed'
  name: string
  mediaType: string
  /** The SHA-256 of its bytes, in hex. */
  sha256: string
  /** The job that reads it; null unless it is being processed. */
  jobId: Id<'job'> | null
  /** The failure of the last reading; null where it did not fail. A text of an earlier reading may exist. */
  error: Failure | null
}

/**
 * Finds a file of an organization; undefined where it has none with that id. In a transaction the row is locked for share, so that
 * the end of its processing, or its deletion, either comes before or sees the later writes of this transaction.
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

/** A file with its text. */
interface FileText extends FileFacts {
  /** The id of the text, a new one with each reading; null without a text. */
  textId: Id<'blob'> | null
  /** The text, cut into pieces; empty unless the file is processed. */
  pieces: TextPiece[]
}

/**
 * Reads a file and its text; undefined where the organization has no such file.
 * @throws AlteredTextError, MissingBlobError where the text is damaged or missing; the errors of the storage
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
