import { useMemo, useState } from 'preact/hooks'
import type { CallOptions, Pages } from '#sdk/postern.ts'
import { amend, amendAt, type Data, failAt, knownAt, scoped, useData } from './cache.ts'
import { toFailure } from './failure.ts'
import { reading } from './postern.ts'

/** Rows kept at once. When a further page arrives, rows at the other end of the list leave. */
export const MOST_ROWS = 200

/** Tries to read a page of a list that is refreshed at the same time. */
const TRIES = 3

/** A page of a list: where it begins, and how many rows it had. */
interface Part {
  cursor: string | undefined
  count: number
}

/** Rows of a list, page after page. */
export interface Rows<T> {
  rows: T[]
  nextCursor: string | null
  /** The pages that the rows came in. */
  parts?: readonly Part[]
  /** The pages before them, which have left. */
  before?: readonly Part[]
  /** Whether rows were cut off at the end that no cursor leads to. A new read of the list brings them back. */
  isCut?: boolean
}

export interface Listed<T> extends Data<Rows<T>> {
  rows: T[]
  /** How many rows there are before these. */
  offset: number
  hasMore: boolean
  /** Reads the page after the last. */
  more: () => Promise<void>
  /** Reads the page before the first, or the list from its beginning. */
  earlier: (isFirst?: boolean) => Promise<void>
  isReadingMore: boolean
}

/**
 * A list by its cursor. A refresh reads as many rows as are shown, so that nothing jumps.
 * @param key names the filters as well
 * @param most rows that are kept at once
 */
export function useList<T>(
  key: string | undefined,
  list: (how: CallOptions) => Pages<T>,
  most = MOST_ROWS,
): Listed<T> {
  const [isReadingMore, setReadingMore] = useState(false)
  const full = key === undefined ? undefined : scoped(key)
  const known = () => (full === undefined ? undefined : knownAt<Rows<T>>(full))
  const data = useData<Rows<T>>(key, async (how) => {
    for (;;) {
      const shown = known()
      const { rows = [], parts = [], before = [] } = shown ?? {}
      const read = await readParts(list(how), Math.min(rows.length, most), parts[0]?.cursor, before)
      // After a turn of the page during the read, other rows are shown than were read.
      if (known()?.parts === shown?.parts) return read
    }
  })
  /** Reads a page that a person asked for, one at a time. */
  const go = async (read: (pages: Pages<T>, now: Rows<T>) => Promise<(then: Rows<T>) => Rows<T>>) => {
    if (full === undefined || isReadingMore) return
    setReadingMore(true)
    try {
      for (let tries = 0; tries < TRIES; tries += 1) {
        const now = known()
        if (now === undefined) return
        const change = await read(list(reading(new AbortController().signal)), now)
        // A refresh during the read has brought other cursors.
        if (known()?.nextCursor === now.nextCursor) return amendAt(full, change)
      }
    } catch (thrown) {
      failAt(full, toFailure(thrown))
    } finally {
      setReadingMore(false)
    }
  }
  const more = () =>
    go(async (pages, { nextCursor, isCut }) => {
      if (isCut) return turned(await readParts(pages, most))
      if (nextCursor === null) return (then) => then
      const page = await pages.page(nextCursor)
      return (then) => withPage(then, page, nextCursor, most)
    })
  const earlier = (isFirst = false) =>
    go(async (pages, { before = [] }) =>
      turned(
        await readParts(
          pages,
          most,
          isFirst ? undefined : before.at(-1)?.cursor,
          isFirst ? [] : before.slice(0, -1),
        ),
      ),
    )
  const rows = useMemo(() => data.data?.rows ?? [], [data.data])
  const offset = sumOf(data.data?.before)
  const hasMore = !!data.data?.nextCursor || data.data?.isCut === true
  return { ...data, rows, offset, hasMore, more, earlier, isReadingMore }
}

const turned =
  <T>(rows: Rows<T>) =>
  () =>
    rows

const sumOf = (parts: readonly Part[] = []) => parts.reduce((sum, { count }) => sum + count, 0)

/** Reads pages until there are `many` rows. */
async function readParts<T>(
  pages: Pages<T>,
  many: number,
  first?: string,
  before: readonly Part[] = [],
): Promise<Rows<T>> {
  const rows: T[] = []
  const parts: Part[] = []
  let cursor = first
  do {
    const page = await pages.page(cursor)
    rows.push(...page.data)
    parts.push({ cursor, count: page.data.length })
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined && rows.length < many)
  return { rows, nextCursor: cursor ?? null, parts, before }
}

/** Rows with the page after them; where they become too many, without the first pages. */
function withPage<T>(
  { rows, parts = [{ cursor: undefined, count: rows.length }], before = [] }: Rows<T>,
  page: { data: T[]; nextCursor: string | null },
  cursor: string,
  most: number,
): Rows<T> {
  const all = [...rows, ...page.data]
  const kept = [...parts, { cursor, count: page.data.length }]
  const left = [...before]
  while (all.length > most && kept.length > 1) {
    const [first, ...rest] = kept
    // Rows of the stream may have come into the first page since it was read.
    const count = all.length - sumOf(rest)
    all.splice(0, count)
    left.push({ cursor: first?.cursor, count })
    kept.shift()
  }
  return { rows: all, nextCursor: page.nextCursor, parts: kept, before: left }
}

/**
 * Replaces a row of a list by its state from the stream. A row newer than all others is put first; where there are too many, the oldest leave.
 * @param isNew whether a row that the list lacks may be added
 */
export function amendRow<T extends { id: string }>(key: string, row: T, isNew = true): void {
  amend<Rows<T>>(key, (list) => {
    const at = list.rows.findIndex(({ id }) => id === row.id)
    if (at >= 0) return { ...list, rows: list.rows.with(at, { ...list.rows[at], ...row }) }
    const first = list.rows[0]
    // Ids are ordered by time.
    const isFirst = isNew && !list.before?.length && (first === undefined || row.id > first.id)
    if (!isFirst) return list
    if (list.rows.length >= MOST_ROWS)
      return { rows: [row, ...list.rows].slice(0, MOST_ROWS), nextCursor: null, isCut: true }
    return { ...list, rows: [row, ...list.rows] }
  })
}
