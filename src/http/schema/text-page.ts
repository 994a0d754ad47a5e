import { createHash } from 'node:crypto'
import { ApiError } from '../../core/errors.ts'
import { Type } from './type.ts'
import { Nullable } from './validation.ts'

/** Characters of what tells one text from another: 48 bits of a digest. */
const MARK = 8
const FORM = `^[0-9]{1,12}-[A-Za-z0-9_-]{${MARK}}$`

/** `?cursor=` of the pages of a text: where a page begins, and in which text. */
export const TextCursor = Type.String({
  pattern: FORM,
  maxLength: 12 + 1 + MARK,
  description:
    'The `nextCursor` of the page before. It is of one text: once another has taken the place of that, it is refused.',
})

/** Where in a file or a text a part of it stands. */
export const LocationFields = {
  page: Type.Optional(Type.Integer({ description: 'Page of its PDF, or slide, from 1.' })),
  sheet: Type.Optional(Type.String({ description: 'Name of a sheet of its spreadsheet.' })),
  heading: Type.Optional(Type.String({ description: 'Heading that it stands under.' })),
}

/** The members that the pages of every text have, beside `text`. @param whole the thing that has the text, for the document */
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
 * Where a page begins.
 * @param cursor what came as `TextCursor`; undefined for the first page
 * @param text what tells the text from every other: its id or its digest
 * @param reason why a cursor of another text is refused
 * @throws ApiError VALIDATION_FAILED where it is of another text
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

/** The refusal of a cursor of a text. */
export function badTextCursor(cursor: string | undefined, reason = 'not_of_this_text'): ApiError {
  return new ApiError('VALIDATION_FAILED', { field: 'cursor', value: cursor, reason })
}

function markOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, MARK)
}
