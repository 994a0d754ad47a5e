import { type TSchema, Type } from 'typebox'
import { Nullable } from './validation.ts'

/** The prefix of an id and the 16 bytes of its UUID: whatever matches stands for a place in the order. */
const CURSOR = '^[a-z]{3}[A-Za-z0-9_-]{22}$'

/** `?limit=&cursor=`, on every list (decisions: conventions). */
export const PageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  cursor: Type.Optional(
    Type.String({ pattern: CURSOR, maxLength: 25, description: 'The `nextCursor` of the page before.' }),
  ),
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
 */
export function readPage(query: { limit?: number; cursor?: string }): PageRequest {
  const take = (query.limit ?? 20) + 1
  return { take, before: query.cursor === undefined ? undefined : idOf(query.cursor) }
}

function cursorOf(id: string): string {
  return `${id.slice(0, 3)}${Buffer.from(id.slice(4).replaceAll('-', ''), 'hex').toString('base64url')}`
}

function idOf(cursor: string): string {
  const uuid = Buffer.from(cursor.slice(3), 'base64url').toString('hex')
  return `${cursor.slice(0, 3)}_${uuid.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}`
}

/** A page of the rows that `readPage` made the query ask for. */
export function toPage<Row extends { id: string }, Wire>(
  rows: Row[],
  { take }: PageRequest,
  toWire: (row: Row) => Wire,
) {
  const page = rows.slice(0, take - 1)
  const last = page.at(-1)
  const nextCursor = rows.length === take && last !== undefined ? cursorOf(last.id) : null
  return { data: page.map(toWire), nextCursor }
}
