import { type Millis, systemClock } from '../../core/clock.ts'
import { createFairLimiter } from '../../core/fair-limiter.ts'

/**
 * The connections of a pool, divided among owners by max–min fair shares: an owner whose transactions wait for a row of its own
 * cannot use up the connections of others.
 */
interface ConnectionShares {
  /**
   * @param name the owner; undefined for work without one, which is brief and has no share
   * @returns what gives the connection back @throws LateError
   */
  take(name: string | undefined): (() => void) | Promise<() => void>
  /** Callers that wait. */
  waiting(): number
}

/** No connection was free in time. */
export class LateError extends Error {
  override readonly name = 'LateError'
  /** Whether all were in use; else only the owner's share was used up. */
  readonly isUsedUp: boolean
  constructor(isUsedUp: boolean) {
    super('no place was free in time')
    this.isUsedUp = isUsedUp
  }
}

interface ShareOptions {
  most: number
  /** How long a caller waits while all connections are in use throughout. */
  patience: Millis
  /** A caller whose own share is used up waits so many times as long, as that delays no other owner. */
  times: number
}

export function createConnectionShares({ most, patience, times }: ShareOptions): ConnectionShares {
  const queue = createFairLimiter<string | symbol>(most)
  /** Counts how often a connection was given back and no caller took it at once. */
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
      // An owner without connections may have any free one, so work without an owner counts as that of a new owner each time.
      const owner = name ?? Symbol('nobody')
      const leave = queue.tryEnter(owner)
      return leave === undefined ? wait(owner) : noticed(leave)
    },
    waiting: () => queue.waiting,
  }
}
