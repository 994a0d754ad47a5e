import { type Clock, type Millis, SECOND } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import type { Id } from '../core/id.ts'
import { createShares } from '../jobs/turns/shares.ts'

/** Places for what comes in at once, shared out among organizations: nobody holds more than is then left free. */
export interface Intake {
  /**
   * Does `work` in a place of the organization's share; waits for one as long as is patient, in the order of asking.
   * @throws ApiError RATE_LIMITED
   */
  enter<T>(organizationId: Id<'organization'>, work: () => Promise<T>): Promise<T>
}

interface IntakeOptions {
  clock: Clock
  /** Places of this process. */
  most: number
  patience: Millis
}

export function createIntake({ clock, most, patience }: IntakeOptions): Intake {
  const shares = createShares<Id<'organization'>>(most)
  const waiting = new Set<{ organizationId: Id<'organization'>; go: (mayEnter: boolean) => void }>()

  function leave(organizationId: Id<'organization'>): void {
    shares.give(organizationId)
    for (const one of waiting) if (shares.room(one.organizationId) > 0) one.go(true)
  }

  async function turnOf(organizationId: Id<'organization'>): Promise<void> {
    if (shares.room(organizationId) > 0) return shares.take(organizationId)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const one = {
      organizationId,
      go(mayEnter: boolean) {
        waiting.delete(one)
        // In the same turn in which there was room.
        if (mayEnter) shares.take(organizationId)
        resolve(mayEnter)
      },
    }
    waiting.add(one)
    const cancel = clock.after(patience, () => one.go(false))
    const mayEnter = await promise
    cancel()
    if (!mayEnter) throw new ApiError('RATE_LIMITED', { retryAfterSeconds: Math.ceil(patience / SECOND) })
  }

  return {
    async enter(organizationId, work) {
      await turnOf(organizationId)
      try {
        return await work()
      } finally {
        leave(organizationId)
      }
    },
  }
}
