import { turn } from './clock.ts'

/** Questions under way at once: while one waits for its answer, the next one is asked. */
const MOST_UNDER_WAY = 2

/**
 * Asks for many at once: keys that come in the same turn of the event loop, or while as many questions as may be are under
 * way, share the next question. It is always asked after the key has come.
 */
export function coalesce<Key, Value>(
  ask: (keys: Key[]) => Promise<Map<Key, Value>>,
): (key: Key) => Promise<Value | undefined> {
  let gathering: { keys: Set<Key>; answers: PromiseWithResolvers<Map<Key, Value>> } | undefined
  let isComing = false
  let underWay = 0

  function begin(): void {
    if (gathering === undefined || isComing || underWay >= MOST_UNDER_WAY) return
    isComing = true
    void turn().then(askNow)
  }

  async function askNow(): Promise<void> {
    const asked = gathering
    gathering = undefined
    isComing = false
    if (asked === undefined) return
    underWay += 1
    try {
      asked.answers.resolve(await ask([...asked.keys]))
    } catch (error) {
      asked.answers.reject(error)
    } finally {
      underWay -= 1
      begin()
    }
  }

  return async (key) => {
    gathering ??= { keys: new Set(), answers: Promise.withResolvers() }
    gathering.keys.add(key)
    const { promise } = gathering.answers
    begin()
    return (await promise).get(key)
  }
}
