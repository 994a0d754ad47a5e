import { createHash } from 'node:crypto'
import { ApiError } from '../../core/errors.ts'
import { Type } from './type.ts'
import { Nullable } from './validation.ts'

/** Characters of the digest that identifies a text: 48 bits. */
const MARK = 8
const FORM = `^[0-9]{1,12}-[A-Za-z0-9_-]{${MARK}}$`

/** `?cursor=` of pages of a text: the offset of the page, and the identity of the text. */
export const TextCursor = Type.String({
  pattern: FORM,
  maxLength: 12 + 1 + MARK,
  description:
    'The `nextCursor` of the previous page. It is refused after another text has replaced this one.',
})

/** The position of a part in a file or text. */
export const LocationFields = {
  page: Type.Optional(Type.Integer({ description: 'Page of its PDF, or slide, from 1.' })),
  sheet: Type.Optional(Type.String({ description: 'Name of a sheet of its spreadsheet.' })),
  heading: Type.Optional(Type.String({ description: 'The heading above it.' })),
}

/** The members of every page of a text, beside `text`. @param whole the owner of the text, for the document */
export const textPageFields = (whole: 'file' | 'document') => ({
  parts: Type.Array(
    Type.Object({
      offset: Type.Integer({ description: 'Where in `text` it begins, in UTF-16 code units.' }),
      ...LocationFields,
    }),
    { description: `Where in the ${whole} the parts of \`text\` stand.` },
  ),
  nextCursor: Nullable(
    Type.String({ description: 'Pass as `cursor` for the text that follows; null at the end.' }),
  ),
})

/**
 * The offset of a page.
 * @param cursor the value of `TextCursor`; undefined for the first page
 * @param text identifies the text: its id or its digest
 * @param reason the reason where the cursor belongs to another text
 * @throws ApiError VALIDATION_FAILED where it belongs to another text
 */
export function offsetOf(cursor: string | undefined, text: string, reason: string): number {
  if (cursor === undefined) return 0
  const at = cursor.indexOf('-')
  if (cursor.slice(at + 1) !== markOf(text)) throw badTextCursor(cursor, reason)
  return Number(cursor.slice(0, at))
}

/** The cursor of the page of a text that begins at an offset. */
export function textCursorAt(offset: number, text: string): string {
  return `${offset}-${markOf(text)}`
}

/** The error for an invalid cursor of a text. */
export function badTextCursor(cursor: string | undefined, reason = 'not_of_this_text'): ApiError {
  return new ApiError('VALIDATION_FAILED', { field: 'cursor', value: cursor, reason })
}

function markOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, MARK)
}
