import { computing, type Millis, turn } from '#src/core/clock.ts'

/**
 * Does `work`, and tells the longest that this thread has computed in one turn of the event loop meanwhile: for so long nothing
 * else was heard. It is the time of the processor and not of the clock, so that a busy machine changes it little. The client
 * of a test runs on the same thread and is counted in.
 */
export async function longestStretch(work: () => Promise<unknown>): Promise<Millis> {
  let [longest, isOver] = [0, false]
  const done = work().finally(() => {
    isOver = true
  })
  while (!isOver) {
    const computed = computing()
    await turn()
    longest = Math.max(longest, computed())
  }
  await done
  return longest
}
