import { createBatcher } from './batcher.ts'
import { turn } from './clock.ts'

/** Questions under way at once; where many wait, one, which they share. */
const MOST_AT_ONCE = 2

/**
 * Asks for many keys at once: those of one turn of the event loop, or of the time that a question is under way, share the next one.
 * @param ask what finds the values of distinct keys
 * @returns asks for one key, and never in a question that began before it; undefined where the answer does not have the key
 */
export function askTogether<Key, Value>(
  ask: (keys: Key[]) => Promise<Map<Key, Value>>,
): (key: Key) => Promise<Value | undefined> {
  const questions = createBatcher<Key, Value | undefined>(
    async (take) => {
      const keys = take()
      const found = await ask([...new Set(keys)])
      return keys.map((key) => found.get(key))
    },
    { atOnce: MOST_AT_ONCE, company: 0, pace: turn },
  )
  return questions.add
}
