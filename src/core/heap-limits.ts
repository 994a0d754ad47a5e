import type { ResourceLimits } from 'node:worker_threads'

/** The least heap of a thread. A new thread takes 6 MB, at times more than 18, and V8 ends the whole process when it reaches the limit. */
const LEAST_MB = 64
const LEAST_YOUNG_MB = 8

/**
 * @param heapMb the need of the thread's own work
 * @param youngMb the part for new objects, beside it
 * @returns the heap limits of a thread; memory is allocated only as it is used
 */
export function heapLimits(heapMb = LEAST_MB, youngMb = LEAST_YOUNG_MB): ResourceLimits {
  return { maxOldGenerationSizeMb: Math.max(heapMb, LEAST_MB), maxYoungGenerationSizeMb: youngMb }
}
