import { createBatcher } from './batcher.ts'
import { turn } from './clock.ts'

/** Concurrent queries. While four or more keys wait, one query at a time looks them up together. */
const MOST_AT_ONCE = 2

/**
 * Looks up keys in batches. Keys of one turn of the event loop share a query, and so do keys that arrive during a query.
 * @param ask queries the values of distinct keys
 * @returns a function that looks up one key by a query that begins after the call; undefined where the query finds no value
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
