import { type TSchema, Type } from 'typebox'
import { ApiError } from '../core/errors.ts'
import { Nullable } from './validation.ts'

/** `?limit=&cursor=`, on every list (decisions 1). */
export const PageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  cursor: Type.Optional(Type.String({ maxLength: 200, description: 'The `nextCursor` of the page before.' })),
}

export const Page = <T extends TSchema>(item: T) =>
  Type.Object({ data: Type.Array(item), nextCursor: Nullable(Type.String()) })

/** The rows that a list query should ask for: one more than a page, and only those after the cursor. */
export interface PageRequest {
  take: number
  /** Ids are ordered by time: the page holds those below this one. */
  before: string | undefined
}

/**
 * Reads a list's query. A cursor is the id at which the last page ended, and is only ever used beside the
 * caller's own organization: changing it shows nobody anything new.
 * @throws ApiError VALIDATION_FAILED
 */
export function readPage(query: { limit?: number; cursor?: string }): PageRequest {
  const take = (query.limit ?? 20) + 1
  if (query.cursor === undefined) return { take, before: undefined }
  const before = Buffer.from(query.cursor, 'base64url').toString('latin1')
  if (!/^[a-z]{3}_[0-9a-f-]{36}$/.test(before))
    throw new ApiError('VALIDATION_FAILED', { field: 'cursor', value: query.cursor })
  return { take, before }
}

/** A page of the rows that `readPage` made the query ask for. */
export function toPage<Row extends { id: string }, Wire>(
  rows: Row[],
  { take }: PageRequest,
  toWire: (row: Row) => Wire,
) {
  const page = rows.slice(0, take - 1)
  const last = page.at(-1)
  const nextCursor =
    rows.length === take && last !== undefined ? Buffer.from(last.id, 'latin1').toString('base64url') : null
  return { data: page.map(toWire), nextCursor }
}
