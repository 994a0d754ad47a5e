import { cutAt } from '../../core/text/cut-at.ts'
import { badTextCursor, offsetOf, textCursorAt } from '../../http/schema/text-page.ts'
import type { FilePage } from '../deps.ts'
import { piecesOfText } from '../indexing/chunks.ts'

/** Characters of a page, at most. */
const PAGE = 128 * 1024

/**
 * A page of a text, with the headings of its parts. The concatenation of all pages is the text.
 * @param cursor the `nextCursor` of the page before (an offset in UTF-16 code units); undefined for the first page
 * @throws ApiError VALIDATION_FAILED for the cursor of another text, or an invalid offset
 */
export function pageOf(
  { text, sha256 }: { text: string; sha256: string },
  cursor: string | undefined,
): Omit<FilePage, 'textId'> {
  const first = offsetOf(cursor, sha256, 'indexed_again')
  if (first > 0 && (first >= text.length || cutAt(text, first) < first)) throw badTextCursor(cursor)
  const end = cutAt(text, Math.min(first + PAGE, text.length))
  const parts: FilePage['parts'] = []
  let next = 0
  for (const piece of piecesOfText(text)) {
    const begin = next
    next += piece.text.length
    if (begin < end && next > first) parts.push({ offset: Math.max(0, begin - first), ...piece.location })
  }
  const nextCursor = end === text.length ? null : textCursorAt(end, sha256)
  return { text: text.slice(first, end), parts, nextCursor }
}
