import { type Millis, systemClock } from '../../core/clock.ts'
import { createFairLimiter } from '../../core/fair-limiter.ts'

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
  /** Who waits while all of them are in use all of the time waits so long … */
  patience: Millis
  /** … and who has used up its own share, which keeps no other from anything, so many times as long. */
  times: number
}

export function createPlaces({ most, patience, times }: PlacesOptions): Places {
  const queue = createFairLimiter<string | symbol>(most)
  /** Grows whenever one is given back that nobody takes at once. */
  let timesFree = 0

  /** Since when all have been in use, as a number that is another one each time; undefined while some are free. */
  const usedUp = () => (queue.busy < most ? undefined : timesFree)

  const noticed = (leave: () => void) => () => {
    leave()
    if (queue.busy < most) timesFree += 1
  }

  async function wait(owner: string | symbol): Promise<() => void> {
    const over = new AbortController()
    let left = times
    let before = usedUp()
    let cancel = systemClock.after(patience, late)
    function late(): void {
      const isUsedUp = before !== undefined && before === usedUp()
      before = usedUp()
      left -= 1
      if (isUsedUp || left <= 0) over.abort(new LateError(isUsedUp))
      else cancel = systemClock.after(patience, late)
    }
    try {
      return noticed(await queue.enter(owner, over.signal))
    } finally {
      cancel()
    }
  }

  return {
    take(name) {
      // Whoever holds none yet may have any that is free: each piece of work that is nobody's is by somebody new.
      const owner = name ?? Symbol('nobody')
      const leave = queue.enterAtOnce(owner)
      return leave === undefined ? wait(owner) : noticed(leave)
    },
    waiting: () => queue.waiting,
  }
}
