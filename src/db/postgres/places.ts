import { type Millis, systemClock } from '../../core/clock.ts'
import { createQueue } from '../../core/shares/queue.ts'

/**
 * The connections of a pool as places, shared out among those who ask for them: nobody holds more than is then left free, so
 * that who waits with them for a row of its own keeps no other from the rest.
 */
export interface Places {
  /**
   * @param name on whose behalf; undefined for what is nobody's own, which has no share, for it is brief
   * @returns what gives the place back @throws LateError
   */
  take(name: string | undefined): (() => void) | Promise<() => void>
  /** How many wait. */
  waiting(): number
}

/** There was no place in time. */
export class LateError extends Error {
  override readonly name = 'LateError'
  /** Whether all were in use; else only the share of whoever asked. */
  readonly isUsedUp: boolean
  constructor(isUsedUp: boolean) {
    super('no place was free in time')
    this.isUsedUp = isUsedUp
  }
}

interface PlacesOptions {
  most: number
  /** Who waits while all are in use waits so long … */
  patience: Millis
  /** … and who has used up its own share, which keeps no other from anything, so many times as long. */
  times: number
}

export function createPlaces({ most, patience, times }: PlacesOptions): Places {
  const queue = createQueue<string | symbol>(most)

  async function wait(owner: string | symbol): Promise<() => void> {
    const over = new AbortController()
    let left = times
    let cancel = systemClock.after(patience, late)
    function late(): void {
      const isUsedUp = queue.busy >= most
      left -= 1
      if (isUsedUp || left <= 0) over.abort(new LateError(isUsedUp))
      else cancel = systemClock.after(patience, late)
    }
    try {
      return await queue.enter(owner, over.signal)
    } finally {
      cancel()
    }
  }

  return {
    take(name) {
      // Whoever holds none yet may have any that is free: each piece of work that is nobody's is by somebody new.
      const owner = name ?? Symbol('nobody')
      return queue.enterAtOnce(owner) ?? wait(owner)
    },
    waiting: () => queue.waiting,
  }
}
