import { createBoundedMap } from '../../core/bounded-map.ts'
import { type Clock, MINUTE, type Millis } from '../../core/clock.ts'
import type { Database } from '../../db/database.ts'

/** A term in more chunks than this is frequent. */
const FREQUENT = 5_000
/** How long the count of a frequent term is cached, and the size of the cache. */
const KEPT: Millis = MINUTE
const MOST_KEPT = 10_000

interface Known {
  rows: number
  at: Millis
}

/**
 * Counts the chunks of some groups that have each term, in the order of the terms. The counts of frequent terms may be a minute old,
 * because these take longest to count, occur in most queries, and hardly change. All others are current.
 */
export type CountTerms = (groups: string[], terms: string[]) => Promise<number[]>

export function createTermCounts({
  clock,
  database: { db, reader, textIndex },
}: {
  clock: Pick<Clock, 'now'>
  database: Pick<Database, 'db' | 'reader' | 'textIndex'>
}): CountTerms {
  const frequent = createBoundedMap<string, Known>(MOST_KEPT)

  return async (groups, terms) => {
    const now = clock.now()
    const keyOf = (term: string) => `${groups.join()} ${term}`
    const rowsOf = terms.map((term) => {
      const known = frequent.get(keyOf(term))
      const age = known === undefined ? KEPT : now - known.at
      return age >= 0 && age < KEPT ? known?.rows : undefined
    })
    const unknown = terms.filter((_, place) => rowsOf[place] === undefined)
    if (unknown.length === 0) return rowsOf.map((rows) => rows ?? 0)
    const counts = await reader.rows(textIndex.countRows(groups, unknown).compile(db))
    const counted = new Map(counts.map(({ place, rows }) => [unknown[place] as string, rows]))
    for (const [term, rows] of counted) if (rows > FREQUENT) frequent.set(keyOf(term), { rows, at: now })
    return terms.map((term, place) => rowsOf[place] ?? counted.get(term) ?? 0)
  }
}
