import { isLowSurrogate } from '../../core/text/terms.ts'
import { badTextCursor, offsetOf, textCursorAt } from '../../http/schema/text-page.ts'
import type { FilePage } from '../deps.ts'
import { piecesOfText } from '../indexing/chunks.ts'

/** Characters of a page at most. */
const PAGE = 128 * 1024

/**
 * A page of a text, with the headings that its parts stand below; all pages put together are the text.
 * @param cursor where the page begins, in UTF-16 code units: the `nextCursor` of a page; undefined for the first
 * @throws ApiError VALIDATION_FAILED where it is of another text, or no page can begin there
 */
export function pageOf(
  { text, sha256 }: { text: string; sha256: string },
  cursor: string | undefined,
): Omit<FilePage, 'textId'> {
  const first = offsetOf(cursor, sha256, 'indexed_again')
  if (first > 0 && (first >= text.length || isInsidePair(text, first))) throw badTextCursor(cursor)
  const end = endOf(text, first + PAGE)
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

function endOf(text: string, most: number): number {
  if (most >= text.length) return text.length
  return isInsidePair(text, most) ? most - 1 : most
}

/** Whether a cut there would part a character that is written as two code units. */
function isInsidePair(text: string, at: number): boolean {
  return isLowSurrogate(text, at) && (text.codePointAt(at - 1) ?? 0) > 0xffff
}
