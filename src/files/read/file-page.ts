import { MissingBlobError } from '../../blobs/blob-storage.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import { getOwned } from '../../db/owned-row.ts'
import { badTextCursor, offsetOf, textCursorAt } from '../../http/schema/text-page.ts'
import type { FileDeps } from '../deps.ts'
import { mustNotHaveFailed } from '../file-wire.ts'
import type { TextPiece } from '../readers/reading.ts'
import { AlteredTextError, decodePieces } from '../stored-text.ts'

/** Characters of a page, exceeded by less than one piece. */
const PAGE = 128 * 1024
/** Stored bytes that are read for a page: a page of the longest characters, with the locations of its parts. */
const READ_AHEAD = 2 * 1024 * 1024

/** A page of the text of a file. */
interface FilePage {
  status: 'processing' | 'processed'
  /** The id of the text, a new one with each reading; null without a text. */
  textId: Id<'blob'> | null
  text: string | null
  parts: (TextPiece['location'] & { offset: number })[]
  nextCursor: string | null
}

/**
 * Reads a page of a file's text.
 * @param cursor a `nextCursor`; undefined for the first page
 * @throws ApiError INVALID_UUID, ENTITY_NOT_FOUND, VALIDATION_FAILED; the code of the file where it has no text and failed;
 * PROCESSING_FAILED where its text is damaged or missing
 */
export type ReadFilePage = (
  organizationId: Id<'organization'>,
  fileId: string,
  cursor: string | undefined,
) => Promise<FilePage>

export function createReadFilePage({
  blobs,
  database,
  log,
}: Pick<FileDeps, 'blobs' | 'database' | 'log'>): ReadFilePage {
  async function readPage(
    blobId: Id<'blob'>,
    cursor: string | undefined,
  ): Promise<Pick<FilePage, 'text' | 'parts' | 'nextCursor'>> {
    const first = offsetOf(cursor, blobId, 'read_again')
    let [text, next] = ['', first]
    const parts: FilePage['parts'] = []
    const some = await readSome(blobId, first)
    if (some === undefined) throw badTextCursor(cursor)
    const { bytes, size } = some
    for await (const piece of decodePieces(bytes, first)) {
      parts.push({ offset: text.length, ...piece.location })
      text += piece.text
      next = piece.next
      if (text.length >= PAGE) break
    }
    return { text, parts, nextCursor: next >= size ? null : textCursorAt(next, blobId) }
  }

  /** Reads stored lines from an offset on; undefined where no line begins there. */
  async function readSome(blobId: Id<'blob'>, cursor: number) {
    const { size } = await database.db
      .selectFrom('blob')
      .select('size')
      .where('id', '=', blobId)
      .executeTakeFirstOrThrow(() => new MissingBlobError(blobId))
    const first = Math.max(0, cursor - 1)
    const last = Math.min(size, first + READ_AHEAD) - 1
    if (cursor > 0 && cursor >= size) return undefined
    const chunks: Uint8Array[] = []
    if (size > 0) for await (const chunk of await blobs.read(blobId, { first, last })) chunks.push(chunk)
    const all = Buffer.concat(chunks)
    if (cursor > 0 && all[0] !== 10) return undefined
    const own = cursor > 0 ? all.subarray(1) : all
    // Cut after the last complete line.
    const whole = last === size - 1 ? own : own.subarray(0, own.lastIndexOf(10) + 1)
    return { bytes: [whole] as unknown as AsyncIterable<Uint8Array>, size }
  }

  return async (organizationId, fileId, cursor) => {
    const file = await getOwned(database.db, 'file', fileId, organizationId)
    const textId = file.text_blob_id
    if (textId === null) {
      mustNotHaveFailed(file)
      return { status: 'processing', textId, text: null, parts: [], nextCursor: null }
    }
    try {
      const status = file.status === 'processing' ? 'processing' : 'processed'
      return { status, textId, ...(await readPage(textId, cursor)) }
    } catch (error) {
      if (!(error instanceof AlteredTextError || error instanceof MissingBlobError)) throw error
      log.error({ err: error, fileId: file.id }, 'text damaged')
      throw new ApiError('PROCESSING_FAILED', { fileId: file.id, reason: 'blob_altered' })
    }
  }
}
