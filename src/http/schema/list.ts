import { type SelectQueryBuilder, sql } from 'kysely'
import { fromIso, type Millis } from '../../core/clock.ts'
import { type Id, idFloor, type Kind, unpackIds } from '../../core/id.ts'
import type { Db } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { Span } from '../../db/windows.ts'
import { type TSchema, Type } from './type.ts'
import { momentWith, Nullable } from './validation.ts'

/** The prefix of an id and the 16 bytes of its UUID: every match denotes a position in the order. */
const CURSOR = '^[a-z]{3}[A-Za-z0-9_-]{22}$'

/** `?limit=&cursor=`, on every list (decisions: conventions). */
export const PageQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Most items of the page.' }),
  ),
  cursor: Type.Optional(
    Type.String({ pattern: CURSOR, maxLength: 25, description: 'The `nextCursor` of the page before.' }),
  ),
}

/** `?since=&until=` on lists of events in time: from the first moment (inclusive) to the second (exclusive). */
export const SpanQuery = {
  since: Type.Optional(momentWith('Only what happened at or after this moment.')),
  until: Type.Optional(momentWith('Only what happened before this moment.')),
}

/** The `nextCursor` of a list without pages. */
export const NoCursor = Type.Union([Type.String(), Type.Null()], {
  description: 'Always null: the list is whole.',
})

export const Page = <T extends TSchema>(item: T) =>
  Type.Object({
    data: Type.Array(item, {
      description: 'The items of this page, the newest first unless the operation says otherwise.',
    }),
    nextCursor: Nullable(
      Type.String({ description: 'Pass as `cursor` for the page that follows; null on the last page.' }),
    ),
  })

/** The rows that a list query reads: one more than a page, and only those after the cursor. */
export interface PageRequest<K extends Kind> {
  take: number
  /** Ids are ordered by time: the page holds those below this id. */
  before: Id<K>
  /** The last id of the previous page; undefined for the first page. */
  cursor: Id<K> | undefined
}

/** Later than the moment of any id. */
const END_OF_TIME: Millis = 2 ** 48 - 1

/**
 * Reads the query of a list of one kind. A cursor is the last id of the previous page; queries also filter by the
 * caller's organization, so a forged cursor reveals nothing.
 */
export function readPage<K extends Kind>(of: K, query: { limit?: number; cursor?: string }): PageRequest<K> {
  const take = (query.limit ?? 20) + 1
  const cursor = query.cursor === undefined ? undefined : idOf(of, query.cursor)
  return { take, before: cursor ?? idFloor(of, END_OF_TIME), cursor }
}

/** Reads `?since=&until=` of a list whose ids are ordered by the filtered moment. */
export function readSpan<K extends Kind>(of: K, query: { since?: string; until?: string }): Span<K> {
  const momentOf = (text: string | undefined) => (text === undefined ? undefined : fromIso(text))
  return {
    from: idFloor(of, momentOf(query.since) ?? 0),
    before: idFloor(of, momentOf(query.until) ?? END_OF_TIME),
  }
}

/** The part of a span that lies before the start of a page. */
export function restOf<K extends Kind>({ before }: PageRequest<K>, span: Span<K>): Span<K> {
  return { from: span.from, before: before < span.before ? before : span.before }
}

/** Restricts a query to a span, by id; for `$call`. */
export function inSpan({ from, before }: Span<Kind>, id = 'id') {
  return <DB, From extends keyof DB, Row>(query: SelectQueryBuilder<DB, From, Row>) =>
    query.where(sql.ref(id), '>=', from).where(sql.ref(id), '<', before)
}

/** Restricts a query to a page, by id, newest first; for `$call`. */
export function inPage({ before, take }: PageRequest<Kind>, id = 'id') {
  return <DB, From extends keyof DB, Row>(query: SelectQueryBuilder<DB, From, Row>) =>
    query.where(sql.ref(id), '<', before).orderBy(sql.ref(id), 'desc').limit(take)
}

/** The cursor of the page that begins after an id. */
export function cursorOf(id: string): string {
  return `${id.slice(0, 3)}${Buffer.from(id.slice(4).replaceAll('-', ''), 'hex').toString('base64url')}`
}

/** A cursor of another list denotes its moment. */
function idOf<K extends Kind>(of: K, cursor: string): Id<K> {
  const [id] = unpackIds(of, Buffer.from(cursor.slice(3), 'base64url'))
  return id as Id<K>
}

/** Makes a page from the rows of a query by `readPage`. */
export function toPage<Row extends { id: string }, Wire>(
  rows: Row[],
  { take }: PageRequest<Kind>,
  toWire: (row: Row) => Wire,
) {
  const page = rows.slice(0, take - 1)
  const last = page.at(-1)
  const nextCursor = rows.length === take && last !== undefined ? cursorOf(last.id) : null
  return { data: page.map(toWire), nextCursor }
}

/** Tables that are listed row by row: the kind of their ids, and the column of the owner. */
const LISTED = {
  capture: ['capture', 'webhook_id'],
  connection: ['connection', 'organization_id'],
  document: ['document', 'knowledge_base_id'],
  file: ['file', 'organization_id'],
  mcp_server: ['mcpServer', 'organization_id'],
  message: ['message', 'conversation_id'],
  replay: ['replay', 'organization_id'],
  service_account: ['serviceAccount', 'organization_id'],
} as const satisfies { [Table in keyof Tables]?: [Kind, keyof Tables[Table]] }

type Listed = keyof typeof LISTED
type OwnerOf<Table extends Listed> = Tables[Table][(typeof LISTED)[Table][1] & keyof Tables[Table]]

/**
 * A page of an owner's rows, newest first. `getOwned` of db/owned-row.ts reads one of them.
 * @param owner the caller's organization, or a row that belongs to the caller
 */
export async function listOwned<Table extends Listed, Wire>(
  db: Db,
  table: Table,
  owner: OwnerOf<Table>,
  query: { limit?: number; cursor?: string },
  toWire: (row: Tables[Table]) => Wire,
) {
  const [kind, column] = LISTED[table]
  const page = readPage(kind, query)
  // TypeScript knows no columns for a query over a union of tables; all of these have both columns.
  const rows = await db
    .selectFrom(table as 'file')
    .selectAll()
    .where(column as 'organization_id', '=', owner as Id<'organization'>)
    .$call(inPage(page))
    .execute()
  return toPage(rows as Tables[Table][], page, toWire)
}
