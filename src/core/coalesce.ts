import { onBehalfOfAll } from './behalf/behalf.ts'
import { turn } from './clock.ts'
import { CROWD } from './company.ts'

/** Questions under way at once, where few ask: while one waits for its answer, the next one is asked. */
const MOST_UNDER_WAY = 2

/**
 * Asks for many at once: keys that come in the same turn of the event loop, or while as many questions as may be are under
 * way, share the next question. It is always asked after the key has come. Where many asked last, one question is under way:
 * each that they share is one less.
 */
export function coalesce<Key, Value>(
  ask: (keys: Key[]) => Promise<Map<Key, Value>>,
): (key: Key) => Promise<Value | undefined> {
  let gathering:
    | { keys: Set<Key>; askers: number; answers: PromiseWithResolvers<Map<Key, Value>> }
    | undefined
  let isComing = false
  let underWay = 0
  let isCrowded = false

  function begin(): void {
    const most = isCrowded ? 1 : MOST_UNDER_WAY
    if (gathering === undefined || isComing || underWay >= most) return
    isComing = true
    onBehalfOfAll(() => void turn().then(askNow))
  }

  async function askNow(): Promise<void> {
    const asked = gathering
    gathering = undefined
    isComing = false
    if (asked === undefined) return
    underWay += 1
    isCrowded = asked.askers >= CROWD
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
    gathering ??= { keys: new Set(), askers: 0, answers: Promise.withResolvers() }
    gathering.keys.add(key)
    gathering.askers += 1
    const { promise } = gathering.answers
    begin()
    return (await promise).get(key)
  }
}
