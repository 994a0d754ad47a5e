import { ApiError } from '../../core/errors.ts'
import { isLowSurrogate } from '../../core/text/terms.ts'
import type { FilePage } from '../deps.ts'
import { piecesOfText } from '../indexing/chunks.ts'

/** Characters of a page at most. */
const PAGE = 128 * 1024

/**
 * A page of a text, with the headings that its parts stand below; all pages put together are the text.
 * @param cursor where the page begins, in UTF-16 code units
 * @throws ApiError VALIDATION_FAILED where the text ends before it
 */
export function pageOf(text: string, cursor: number): Omit<FilePage, 'textId'> {
  if (cursor > 0 && cursor >= text.length)
    throw new ApiError('VALIDATION_FAILED', {
      ...{ field: 'cursor', value: String(cursor), reason: 'not_of_this_text' },
    })
  const end = endOf(text, cursor + PAGE)
  const parts: FilePage['parts'] = []
  let next = 0
  for (const piece of piecesOfText(text)) {
    const begin = next
    next += piece.text.length
    if (begin < end && next > cursor) parts.push({ offset: Math.max(0, begin - cursor), ...piece.location })
  }
  return { text: text.slice(cursor, end), parts, nextCursor: end === text.length ? null : String(end) }
}

function endOf(text: string, most: number): number {
  if (most >= text.length) return text.length
  return isLowSurrogate(text, most) ? most - 1 : most
}
