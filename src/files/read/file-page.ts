import { MissingBytesError } from '../../blobs/bytes.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import { getOwned } from '../../db/owned-row.ts'
import type { FileDeps } from '../deps.ts'
import { mustNotHaveFailed } from '../file-wire.ts'
import { AlteredTextError, fromLines } from '../pieces.ts'
import type { TextPiece } from '../readers/reading.ts'

/** Characters of a page; one is longer by less than a part of the text. */
const PAGE = 128 * 1024
/** So much of what is stored is asked for at a time: a page in the longest characters, and what stands around it. */
const READ_AHEAD = 2 * 1024 * 1024

/** A page of the text of a file. */
export interface FilePage {
  status: 'processing' | 'processed'
  /** Of which reading the text is; null where there is none yet. */
  textId: Id<'blob'> | null
  text: string | null
  parts: (TextPiece['location'] & { offset: number })[]
  nextCursor: string | null
}

/**
 * Reads a page of the text of an organization's file.
 * @param cursor where it begins: 0, or a `nextCursor`
 * @throws ApiError INVALID_UUID, ENTITY_NOT_FOUND, VALIDATION_FAILED; the code of the file where it has no text and failed;
 * PROCESSING_FAILED where its text is damaged or gone
 */
export type ReadFilePage = (
  organizationId: Id<'organization'>,
  fileId: string,
  cursor: number,
) => Promise<FilePage>

export function createReadFilePage({
  blobs,
  database,
  log,
}: Pick<FileDeps, 'blobs' | 'database' | 'log'>): ReadFilePage {
  async function readPage(
    blobId: Id<'blob'>,
    cursor: number,
  ): Promise<Pick<FilePage, 'text' | 'parts' | 'nextCursor'>> {
    let [text, next]: [string, string | null] = ['', null]
    const parts: FilePage['parts'] = []
    const { bytes, isLast } = await readSome(blobId, cursor)
    for await (const piece of fromLines(bytes, cursor)) {
      parts.push({ offset: text.length, ...piece.location })
      text += piece.text
      next = String(piece.next)
      if (text.length >= PAGE) break
    }
    const isAll = isLast(Number(next ?? cursor))
    return { text, parts, nextCursor: isAll ? null : next }
  }

  /** What is stored from a line's beginning on. @throws ApiError VALIDATION_FAILED where none begins there */
  async function readSome(blobId: Id<'blob'>, cursor: number) {
    const { size } = await database.db
      .selectFrom('blob')
      .select('size')
      .where('id', '=', blobId)
      .executeTakeFirstOrThrow(() => new MissingBytesError(blobId))
    const first = Math.max(0, cursor - 1)
    const last = Math.min(size, first + READ_AHEAD) - 1
    const isLast = (at: number) => at >= size
    if (cursor > 0 && cursor >= size) throw badCursor(cursor)
    const chunks: Uint8Array[] = []
    if (size > 0) for await (const chunk of await blobs.read(blobId, { first, last })) chunks.push(chunk)
    const all = Buffer.concat(chunks)
    if (cursor > 0 && all[0] !== 10) throw badCursor(cursor)
    const own = cursor > 0 ? all.subarray(1) : all
    // Up to the last whole line of what was asked for.
    const whole = last === size - 1 ? own : own.subarray(0, own.lastIndexOf(10) + 1)
    return { bytes: [whole] as unknown as AsyncIterable<Uint8Array>, isLast }
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
      if (!(error instanceof AlteredTextError || error instanceof MissingBytesError)) throw error
      log.error({ err: error, fileId: file.id }, 'text damaged')
      throw new ApiError('PROCESSING_FAILED', { fileId: file.id, reason: 'blob_altered' })
    }
  }
}

function badCursor(cursor: number): ApiError {
  return new ApiError('VALIDATION_FAILED', {
    field: 'cursor',
    value: String(cursor),
    reason: 'not_of_this_text',
  })
}
