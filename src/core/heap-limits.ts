import type { ResourceLimits } from 'node:worker_threads'

/** What every thread needs. A new thread takes 6 MB, at times more than 18, and V8 ends the whole process when it meets a limit then. */
const LEAST_MB = 64

/**
 * @param heapMb what its own work may need
 * @returns the limits of a thread's heap; memory is taken as it is used
 */
export function heapLimits(heapMb = LEAST_MB): ResourceLimits {
  return { maxOldGenerationSizeMb: Math.max(heapMb, LEAST_MB), maxYoungGenerationSizeMb: 8 }
}
