import { type Millis, systemClock } from '../../core/clock.ts'
import { createFairLimiter } from '../../core/fair-limiter.ts'

/**
 * The connections of a pool, divided among owners by max–min fair shares, so that an owner whose transactions wait for its own rows
 * cannot use up all connections.
 */
interface ConnectionShares {
  /**
   * @param name the owner; undefined for work without one, which is brief and has no share
   * @returns releases the connection @throws LateError
   */
  take(name: string | undefined): (() => void) | Promise<() => void>
  /** The number of waiting callers. */
  waiting(): number
}

/** No connection was free in time. */
export class LateError extends Error {
  override readonly name = 'LateError'
  /** Whether all connections were in use; otherwise the owner's share was used up. */
  readonly isUsedUp: boolean
  constructor(isUsedUp: boolean) {
    super('no place was free in time')
    this.isUsedUp = isUsedUp
  }
}

interface ShareOptions {
  most: number
  /** How long a caller waits while all connections stay in use. */
  patience: Millis
  /** A caller whose share is used up waits this many times longer, because that delays no other owner. */
  times: number
}

export function createConnectionShares({ most, patience, times }: ShareOptions): ConnectionShares {
  const queue = createFairLimiter<string | symbol>(most)
  /** Counts how often the pool changed from used up to free. */
  let timesFree = 0

  /** Identifies the current period in which all connections are in use; undefined while some are free. */
  const usedUp = () => (queue.busy < most ? undefined : timesFree)

  const counted = (leave: () => void) => () => {
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
      return counted(await queue.enter(owner, over.signal))
    } finally {
      cancel()
    }
  }

  return {
    take(name) {
      // Work without an owner counts as a new owner each time, because an owner without connections may take any free one.
      const owner = name ?? Symbol('no owner')
      const leave = queue.tryEnter(owner)
      return leave === undefined ? wait(owner) : counted(leave)
    },
    waiting: () => queue.waiting,
  }
}
