import { type Clock, type Millis, SECOND } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { createFairLimiter, FAIR, type FairLimiter } from '../core/fair-limiter.ts'
import type { Id } from '../core/id.ts'

/** Slots for concurrent uploads or fetches, divided among organizations: each may hold as many as it leaves free. */
export type UploadSlots = Pick<FairLimiter<Id<'organization'>>, 'use'>

/**
 * @param most slots of this process
 * @param longest how long `use` waits for a slot, in milliseconds; then it throws ApiError RATE_LIMITED
 */
export function createUploadSlots(clock: Clock, most: number, longest: Millis): UploadSlots {
  return createFairLimiter<Id<'organization'>>(most, FAIR, {
    ...{ clock, longest },
    late: () => new ApiError('RATE_LIMITED', { retryAfterSeconds: Math.ceil(longest / SECOND) }),
  })
}
