import { createBoundedMap } from './bounded-map.ts'
import type { Clock, Millis } from './clock.ts'

/**
 * Divides a supply among names so that none can use it up: one alone may hold half, two a third each, and a new one finds some
 * free, however many there are. Nothing is reserved, and nothing that is held is taken back.
 */
export interface Shares<Name> {
  /** What no name holds. */
  readonly free: number
  /** Whether no name may take any, not even one that holds none. */
  readonly isUsedUp: boolean
  heldBy(name: Name): number
  /** What a name may hold while all others hold what they do now. */
  shareOf(name: Name): number
  /** How much more it may take. */
  room(name: Name): number
  take(name: Name, amount?: number): void
  give(name: Name, amount?: number): void
}

/** How much a name may take where so much is free and it holds so much. */
type Rule = (free: number, held: number) => number

/** The default rule, max–min fair: no name holds more than remains free. */
export const FAIR: Rule = (free, held) => Math.max(0, Math.ceil((free - held) / 2))

/** The rule for a supply too small to leave half of it free: each may hold so many, and all together what there is. */
export const atMost =
  (each: number): Rule =>
  (free, held) =>
    Math.max(0, Math.min(free, each - held))

/** Names that are kept though they hold nothing. */
const FEW = 8

/** @param most how much there is */
export function createShares<Name>(most: number, rule: Rule = FAIR): Shares<Name> {
  const held = new Map<Name, number>()
  let free = most
  const heldBy = (name: Name) => held.get(name) ?? 0
  const room = (name: Name) => rule(free, heldBy(name))

  function change(name: Name, amount: number): void {
    free -= amount
    const after = heldBy(name) + amount
    // A few names that hold nothing stay: they take again soon.
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

/** Places for work, divided among owners by max–min fair shares: the owner with the least under way is next. */
export interface FairLimiter<Owner> {
  readonly busy: number
  readonly waiting: number
  /** @returns what gives back the places, one unless said; undefined where the owner has to wait for them */
  tryEnter(owner: Owner, amount?: number): (() => void) | undefined
  /**
   * Waits for a place, or for several at once.
   * @param amount how many; no more than an owner alone may hold, else it waits for ever
   * @returns what gives them back
   * @throws the reason of `signal` when it aborts first
   */
  enter(owner: Owner, signal?: AbortSignal, amount?: number): Promise<() => void>
  /** Does `work` in a place. @throws what `work` throws; with a patience, `late` where no place came free in time */
  use<T>(owner: Owner, work: () => Promise<T>): Promise<T>
}

/** How long `use` waits for a place. */
interface Patience {
  clock: Clock
  longest: Millis
  /** Makes the error of a caller that has waited `longest`. */
  late: () => Error
}

/** What waits of one owner. */
interface Line {
  /** In their order, each with the places that it needs. */
  admits: Map<() => void, number>
  /** For an owner that was never served: the turn that counts as its last one. */
  since: number
}

/** A new owner goes ahead of owners served in the last 32 turns, and behind all others, so a stream of new owners starves no owner. */
const AHEAD = 32
/** Owners whose last turns are remembered while there is work. */
const MOST_REMEMBERED = 10_000

/**
 * Of the owners that wait and may hold more, the one with the fewest places is next, and of equals the one served longest ago. Work of
 * one owner goes in the order in which it came.
 * @param most places
 * @param rule how many of them an owner may hold; `FAIR` unless given
 * @param patience how long `use` waits for a place; without a limit unless given
 */
export function createFairLimiter<Owner>(most: number, rule?: Rule, patience?: Patience): FairLimiter<Owner> {
  const shares = createShares<Owner>(most, rule)
  /** Owners that wait. None of them may hold more. */
  const lines = new Map<Owner, Line>()
  /** When an owner was last served, in turns. */
  const served = createBoundedMap<Owner, number>(MOST_REMEMBERED)
  let turn = 0

  const turnBefore = (owner: Owner, { since }: Line) => served.get(owner) ?? since

  function next(): Line | undefined {
    if (shares.isUsedUp) return undefined
    let first: { line: Line; held: number; before: number } | undefined
    for (const [owner, line] of lines) {
      const [needed = 1] = line.admits.values()
      if (shares.room(owner) < needed) continue
      const [held, before] = [shares.heldBy(owner), turnBefore(owner, line)]
      if (first === undefined || held < first.held || (held === first.held && before < first.before))
        first = { line, held, before }
    }
    return first?.line
  }

  function serve(owner: Owner, amount: number): void {
    shares.take(owner, amount)
    turn += 1
    served.set(owner, turn)
  }

  function admitAll(): void {
    for (let line = next(); line !== undefined; line = next()) {
      const [admit] = line.admits.keys()
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
      // Without owners at work an earlier turn counts against none.
      if (shares.free === most) served.clear()
    }
  }

  function standInLine(owner: Owner, admit: () => void, amount: number): void {
    const line = lines.get(owner) ?? { admits: new Map(), since: turn - AHEAD }
    line.admits.set(admit, amount)
    lines.set(owner, line)
  }

  function stepOut(owner: Owner, admit: () => void): void {
    const line = lines.get(owner)
    line?.admits.delete(admit)
    if (line?.admits.size === 0) lines.delete(owner)
  }

  function turnOf(owner: Owner, signal: AbortSignal | undefined, amount: number): Promise<void> {
    return new Promise((resolve, reject) => {
      function giveUp(): void {
        stepOut(owner, admit)
        // One behind it may need fewer.
        admitAll()
        reject(signal?.reason)
      }
      function admit(): void {
        signal?.removeEventListener('abort', giveUp)
        stepOut(owner, admit)
        // In the same turn in which there was room.
        serve(owner, amount)
        resolve()
      }
      signal?.addEventListener('abort', giveUp, { once: true })
      standInLine(owner, admit, amount)
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
      return [...lines.values()].reduce((sum, { admits }) => sum + admits.size, 0)
    },
    tryEnter(owner, amount = 1) {
      // An owner's work waits behind its own.
      if (lines.has(owner) || shares.room(owner) < amount) return undefined
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

/** A limiter of one owner: `most` at a time, in the order in which they come. */
export function createSemaphore(most: number): FairLimiter<void> {
  return createFairLimiter(most, atMost(most))
}
