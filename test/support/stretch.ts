import { cpuStopwatch, type Millis, turn } from '#src/core/clock.ts'

/**
 * Runs `work`. @returns the longest time that this thread computed in one turn of the event loop, in which nothing else was
 * served. It is processor time, which a busy machine changes little. The client of a test runs on the same thread and is
 * included.
 */
export async function longestStretch(work: () => Promise<unknown>): Promise<Millis> {
  let [longest, isOver] = [0, false]
  const done = work().finally(() => {
    isOver = true
  })
  while (!isOver) {
    const computed = cpuStopwatch()
    await turn()
    longest = Math.max(longest, computed())
  }
  await done
  return longest
}

/** Work of some milliseconds, always the same. */
const REFERENCE = JSON.stringify(
  Array.from({ length: 5_000 }, (_, index) => ({ index, name: `row ${index}` })),
)
/** Linux counts the time of a thread that computes when its timer ticks, every four milliseconds at most. */
const SEVERAL_TICKS: Millis = 16
export const STRETCH_TRIES = 4
let fastest = Number.POSITIVE_INFINITY

/**
 * How much slower the processor does the same work now than at its best in this process: beside other programs its caches and
 * its core are shared, which the time of the processor does not show.
 * @returns 1 or more
 */
export function strain(): number {
  const times = Array.from({ length: 5 }, () => {
    const computed = cpuStopwatch()
    let [parsed, took] = [0, 0]
    for (; took < SEVERAL_TICKS; took = computed()) {
      JSON.parse(REFERENCE)
      parsed += 1
    }
    return took / parsed
  }).sort((one, other) => one - other)
  fastest = Math.min(fastest, times[0] ?? fastest)
  return (times[2] ?? fastest) / fastest
}

/**
 * The longest that `work` holds the thread, as the processor would be beside no other program: compiling and garbage collection
 * happen at random, slow work is slow each time, so the least of some tries counts.
 * @param most no other try is made once it is no longer
 */
export async function leastStretch(most: Millis, work: () => Promise<unknown>): Promise<Millis> {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < STRETCH_TRIES && least > most; attempt += 1) {
    const stretch = await longestStretch(work)
    least = Math.min(least, stretch > most ? stretch / strain() : stretch)
  }
  return least
}
