import type { SelectQueryBuilder } from 'kysely'
import { turn } from '../core/clock.ts'
import type { Id, Kind } from '../core/id.ts'

/** Rows per window: a few milliseconds, in which the embedded engine blocks the event loop. */
export const WINDOW = 5_000

/** A range of a list: from the id `from`, inclusive, to the id `before`, exclusive. */
export interface Span<K extends Kind> {
  from: Id<K>
  before: Id<K>
}

/**
 * Splits a list into windows, newest first, for a search of rare rows in a long list. It yields to the event loop between windows.
 * @param findStart finds the id of the `WINDOW`th row of a span, counted from its end; undefined when there are fewer
 */
export async function* windowsOf<K extends Kind>(
  { from, before }: Span<K>,
  findStart: (span: Span<K>) => Promise<Id<K> | undefined>,
): AsyncGenerator<Span<K>, void, undefined> {
  let end = before
  for (;;) {
    const start = await findStart({ from, before: end })
    yield { from: start ?? from, before: end }
    if (start === undefined) return
    end = start
    await turn()
  }
}

/**
 * Finds where a window of a span ends: its `WINDOW`th row; undefined when the span has fewer.
 * @param ids the ids of the span; newest first for `windowsOf`
 */
export async function findBound<DB, From extends keyof DB, K extends Kind>(
  ids: SelectQueryBuilder<DB, From, { id: Id<K> }>,
): Promise<Id<K> | undefined> {
  const [bound] = await ids
    .limit(1)
    .offset(WINDOW - 1)
    .execute()
  return bound?.id
}

/** Finds up to `take` rows of a list, newest first, window by window. */
export async function seek<K extends Kind, Row>(
  windows: AsyncIterable<Span<K>> | Iterable<Span<K>>,
  take: number,
  find: (span: Span<K>, rest: number) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = []
  for await (const span of windows) {
    rows.push(...(await find(span, take - rows.length)))
    if (rows.length >= take) break
  }
  return rows
}
