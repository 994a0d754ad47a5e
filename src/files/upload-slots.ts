import { type Clock, type Millis, SECOND } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { createFairLimiter } from '../core/fair-limiter.ts'
import type { Id } from '../core/id.ts'

/** Slots for concurrent uploads or fetches, divided among organizations: each may hold as many as it leaves free. */
export interface UploadSlots {
  /** Does `work` in a slot of the organization, for which it waits `patience` at most. @throws ApiError RATE_LIMITED */
  enter<T>(organizationId: Id<'organization'>, work: () => Promise<T>): Promise<T>
}

interface SlotOptions {
  clock: Clock
  /** Slots of this process. */
  most: number
  patience: Millis
}

export function createUploadSlots({ clock, most, patience }: SlotOptions): UploadSlots {
  const queue = createFairLimiter<Id<'organization'>>(most)

  async function turnOf(organizationId: Id<'organization'>): Promise<() => void> {
    const over = new AbortController()
    const cancel = clock.after(patience, () =>
      over.abort(new ApiError('RATE_LIMITED', { retryAfterSeconds: Math.ceil(patience / SECOND) })),
    )
    try {
      return await queue.enter(organizationId, over.signal)
    } finally {
      cancel()
    }
  }

  return {
    async enter(organizationId, work) {
      const leave = await turnOf(organizationId)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
