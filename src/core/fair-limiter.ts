import { createBoundedMap } from './bounded-map.ts'
import type { Clock, Millis } from './clock.ts'

/**
 * A supply that names share by a rule (`FAIR` or `atMost`). Nothing is reserved, and no name loses what it holds.
 */
export interface Shares<Name> {
  /** The amount that no name holds. */
  readonly free: number
  /** Whether even a name that holds nothing may take nothing. */
  readonly isUsedUp: boolean
  heldBy(name: Name): number
  /** The amount that a name may hold while all others keep what they hold. */
  shareOf(name: Name): number
  /** The amount that a name may still take. */
  room(name: Name): number
  take(name: Name, amount?: number): void
  give(name: Name, amount?: number): void
}

/** @returns the amount that a name may take, given what is free and what it holds */
type Rule = (free: number, held: number) => number

/**
 * The default rule, max–min fair: a name may hold as much as remains free. One name alone may hold half, two a third each, and so on,
 * so that a new name always finds some free.
 */
export const FAIR: Rule = (free, held) => Math.max(0, Math.ceil((free - held) / 2))

/** The rule for a small supply: each name may hold up to `each`, and all together the whole supply. */
export const atMost =
  (each: number): Rule =>
  (free, held) =>
    Math.max(0, Math.min(free, each - held))

/** Names that hold nothing and are kept all the same. */
const FEW = 8

/** @param most the size of the supply */
export function createShares<Name>(most: number, rule: Rule = FAIR): Shares<Name> {
  const held = new Map<Name, number>()
  let free = most
  const heldBy = (name: Name) => held.get(name) ?? 0
  const room = (name: Name) => rule(free, heldBy(name))

  function change(name: Name, amount: number): void {
    free -= amount
    const after = heldBy(name) + amount
    // A few names that hold nothing are kept, because they are likely to take again soon.
    if (after === 0 && held.size > FEW) held.delete(name)
    else held.set(name, after)
  }

  return {
    get free() {
      return free
    },
    get isUsedUp() {
      return rule(free, 0) <= 0
    },
    heldBy,
    shareOf: (name) => heldBy(name) + room(name),
    room,
    take: (name, amount = 1) => change(name, amount),
    give: (name, amount = 1) => change(name, -amount),
  }
}

/** A concurrency limit that owners share by a rule (`FAIR` or `atMost`). The owner that holds the fewest places is next. */
export interface FairLimiter<Owner> {
  readonly busy: number
  readonly waiting: number
  /** @returns releases the places, 1 by default; undefined where the owner would have to wait */
  tryEnter(owner: Owner, amount?: number): (() => void) | undefined
  /**
   * Waits for one or several places.
   * @param amount at most what an owner alone may hold; more would wait for ever
   * @returns releases the places
   * @throws the reason of `signal` when it aborts first
   */
  enter(owner: Owner, signal?: AbortSignal, amount?: number): Promise<() => void>
  /** Runs `work` in one place. @throws the error of `work`; with a patience, `late` where no place became free in time */
  use<T>(owner: Owner, work: () => Promise<T>): Promise<T>
}

/** The longest time that `use` waits for a place. */
interface Patience {
  clock: Clock
  longest: Millis
  /** Makes the error of a caller that waited `longest`. */
  late: () => Error
}

/** The waiting work of one owner. */
interface Queue {
  /** First in, first out, each with the number of places that it needs. */
  admits: Map<() => void, number>
  /** The turn that counts as the last one of an owner that was never served. */
  since: number
}

/** A new owner goes ahead of owners served in the last 32 turns and behind all others, so that new owners starve no owner. */
const AHEAD = 32
/** Owners whose last turn is stored. */
const MOST_REMEMBERED = 10_000

/**
 * Of the waiting owners that may hold more, the one with the fewest places is next; of equals the one served longest ago. The work
 * of one owner is first in, first out.
 * @param most the number of places
 * @param rule how many places an owner may hold; `FAIR` by default
 * @param patience how long `use` waits for a place; unlimited by default
 */
export function createFairLimiter<Owner>(most: number, rule?: Rule, patience?: Patience): FairLimiter<Owner> {
  const shares = createShares<Owner>(most, rule)
  /** Waiting owners. None of them may take a place now. */
  const queues = new Map<Owner, Queue>()
  /** The turn in which each owner was last served. */
  const served = createBoundedMap<Owner, number>(MOST_REMEMBERED)
  let turn = 0

  const turnBefore = (owner: Owner, { since }: Queue) => served.get(owner) ?? since

  function next(): Queue | undefined {
    if (shares.isUsedUp) return undefined
    let first: { queue: Queue; held: number; before: number } | undefined
    for (const [owner, queue] of queues) {
      const [needed = 1] = queue.admits.values()
      if (shares.room(owner) < needed) continue
      const [held, before] = [shares.heldBy(owner), turnBefore(owner, queue)]
      if (first === undefined || held < first.held || (held === first.held && before < first.before))
        first = { queue, held, before }
    }
    return first?.queue
  }

  function serve(owner: Owner, amount: number): void {
    shares.take(owner, amount)
    turn += 1
    served.set(owner, turn)
  }

  function admitAll(): void {
    for (let queue = next(); queue !== undefined; queue = next()) {
      const [admit] = queue.admits.keys()
      admit?.()
    }
  }

  function leaveOnce(owner: Owner, amount: number): () => void {
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      shares.give(owner, amount)
      admitAll()
      // No owner holds a place, so earlier turns no longer matter.
      if (shares.free === most) served.clear()
    }
  }

  function joinQueue(owner: Owner, admit: () => void, amount: number): void {
    const queue = queues.get(owner) ?? { admits: new Map(), since: turn - AHEAD }
    queue.admits.set(admit, amount)
    queues.set(owner, queue)
  }

  function leaveQueue(owner: Owner, admit: () => void): void {
    const queue = queues.get(owner)
    queue?.admits.delete(admit)
    if (queue?.admits.size === 0) queues.delete(owner)
  }

  function turnOf(owner: Owner, signal: AbortSignal | undefined, amount: number): Promise<void> {
    return new Promise((resolve, reject) => {
      function giveUp(): void {
        leaveQueue(owner, admit)
        // The next in the queue may need fewer places.
        admitAll()
        reject(signal?.reason)
      }
      function admit(): void {
        signal?.removeEventListener('abort', giveUp)
        leaveQueue(owner, admit)
        // Taken synchronously, so that the room that `next` saw is still there.
        serve(owner, amount)
        resolve()
      }
      signal?.addEventListener('abort', giveUp, { once: true })
      joinQueue(owner, admit, amount)
    })
  }

  async function enterInTime(owner: Owner): Promise<() => void> {
    const over = new AbortController()
    const cancel = patience?.clock.after(patience.longest, () => over.abort(patience.late()))
    try {
      return await limiter.enter(owner, over.signal)
    } finally {
      cancel?.()
    }
  }

  const limiter: FairLimiter<Owner> = {
    get busy() {
      return most - shares.free
    },
    get waiting() {
      return [...queues.values()].reduce((sum, { admits }) => sum + admits.size, 0)
    },
    tryEnter(owner, amount = 1) {
      // New work waits behind the waiting work of its owner.
      if (queues.has(owner) || shares.room(owner) < amount) return undefined
      serve(owner, amount)
      return leaveOnce(owner, amount)
    },
    async enter(owner, signal, amount = 1) {
      signal?.throwIfAborted()
      const atOnce = limiter.tryEnter(owner, amount)
      if (atOnce !== undefined) return atOnce
      await turnOf(owner, signal, amount)
      return leaveOnce(owner, amount)
    },
    async use(owner, work) {
      const leave = await enterInTime(owner)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
  return limiter
}

/** A semaphore of `most` places, first in, first out: a fair limiter with one owner. */
export function createSemaphore(most: number): FairLimiter<void> {
  return createFairLimiter(most, atMost(most))
}
