import type { Millis } from '../../core/clock.ts'

/** The ratio of the upper to the lower edge of a bucket. */
const GROWTH = 1.21
/** Durations from here on share the last bucket; an attempt ends long before. */
const LONGEST: Millis = 120_000

/** How far a percentile may be from the true one, as a share of it: half a bucket on the logarithmic scale. */
export const LATENCY_ERROR = 0.1

/** The shortest duration of each bucket but the first, which holds what took less than a millisecond. */
const EDGES = edges()

/** Stands for a bucket, for deliveries that ended without an attempt. */
export const UNTIMED = 62
/** Stands for a bucket, for deliveries that were made. */
export const MADE = 63
/** The numbers of buckets, `UNTIMED` and `MADE` are below this. */
export const CODES = 64

/** How many durations fell into each bucket. */
export type Histogram = Map<number, number>

interface Percentiles {
  p50: Millis
  p95: Millis
  p99: Millis
}

/** The number of the bucket of a duration, in whole milliseconds. */
export function bucketOf(duration: Millis): number {
  let [low, high] = [0, EDGES.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((EDGES[middle] as number) <= duration) low = middle + 1
    else high = middle
  }
  return low
}

/** Adds the durations of one histogram to another. */
export function addDurations(to: Histogram, from: Iterable<[number, number]>): void {
  for (const [bucket, count] of from) to.set(bucket, (to.get(bucket) ?? 0) + count)
}

/** Percentiles of a histogram, each within `LATENCY_ERROR` of the true value; null for an empty histogram. */
export function percentilesOf(histogram: Histogram): Percentiles | null {
  const buckets = [...histogram].filter(([bucket]) => bucket < UNTIMED).sort(([a], [b]) => a - b)
  const all = buckets.reduce((sum, [, count]) => sum + count, 0)
  if (all === 0) return null
  const at = (share: number) => {
    let rest = Math.min(all - 1, Math.floor(all * share))
    const found = buckets.find(([, count]) => {
      rest -= count
      return rest < 0
    })
    return typicalOf(found?.[0] ?? 0)
  }
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

/** The duration that stands for a bucket: the geometric mean of its shortest and its longest. */
function typicalOf(bucket: number): Millis {
  const shortest = EDGES[bucket - 1] ?? 0
  const longest = (EDGES[bucket] ?? shortest + 1) - 1
  return Math.round(Math.sqrt(shortest * longest))
}

function edges(): Millis[] {
  const found: Millis[] = []
  for (let edge = 1; edge <= LONGEST; edge = Math.max(edge + 1, Math.floor(edge * GROWTH))) found.push(edge)
  return found
}
