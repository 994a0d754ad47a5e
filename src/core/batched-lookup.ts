import { createBatcher } from './batcher.ts'
import { turn } from './clock.ts'

/** Queries under way at once. While four keys or more wait, one query at a time asks for them together. */
const MOST_AT_ONCE = 2

/**
 * Looks up keys in batches: keys of one turn of the event loop, and keys that arrive during a query, share the next query.
 * @param ask finds the values of distinct keys
 * @returns looks up one key, in a query that begins after the call; undefined where the query finds no value
 */
export function createBatchedLookup<Key, Value>(
  ask: (keys: Key[]) => Promise<Map<Key, Value>>,
): (key: Key) => Promise<Value | undefined> {
  const queries = createBatcher<Key, Value | undefined>(
    async (take) => {
      const keys = take()
      const found = await ask([...new Set(keys)])
      return keys.map((key) => found.get(key))
    },
    { atOnce: MOST_AT_ONCE, groupWait: 0, pace: turn },
  )
  return queries.add
}
