import { createBoundedMap } from '../bounded-map.ts'
import { createShares, type Rule } from './shares.ts'

/** Who may work now: so many at a time, each owner within its share, and whoever has least under way comes first. */
export interface Queue<Owner> {
  readonly busy: number
  readonly waiting: number
  /** What gives back places that are taken at once, one unless said; undefined where their owner has to wait for them. */
  enterAtOnce(owner: Owner, amount?: number): (() => void) | undefined
  /**
   * Waits for a place, or for several at once.
   * @param amount how many; no more than an owner may hold that is alone, else it waits for ever
   * @returns what gives them back
   * @throws the reason of `signal` when it aborts first
   */
  enter(owner: Owner, signal?: AbortSignal, amount?: number): Promise<() => void>
  /** Does `work` in a place. @throws as `enter`, and what `work` throws */
  use<T>(owner: Owner, work: () => Promise<T>): Promise<T>
}

/** Those of one owner who wait. */
interface Line {
  /** In their order, each with the places that it needs. */
  admits: Map<() => void, number>
  /** As if it had been served then, where it has not. */
  since: number
}

/** Turns that one who is new is ahead of those who were served. */
const AHEAD = 32
/** Owners whose last turns are remembered while there is work. */
const MOST_REMEMBERED = 10_000

/**
 * Of those who wait and may hold more, the owner with the fewest under way is next, and of equals the one that has waited
 * longest since it was served; those of one owner go in the order in which they came.
 * @param most places
 * @param rule how many of them an owner may hold; the one of `shares.ts` unless given
 */
export function createQueue<Owner>(most: number, rule?: Rule): Queue<Owner> {
  const shares = createShares<Owner>(most, rule)
  /** Who waits. Nobody does who may hold more. */
  const lines = new Map<Owner, Line>()
  /** When an owner was last served, in turns. */
  const served = createBoundedMap<Owner, number>(MOST_REMEMBERED)
  let turn = 0

  /** Whoever is new comes before who was served lately; but as there may always be somebody newer, not before who was long ago. */
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
      // Nobody is there whom an earlier turn could be held against.
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

  const queue: Queue<Owner> = {
    get busy() {
      return most - shares.free
    },
    get waiting() {
      return [...lines.values()].reduce((sum, { admits }) => sum + admits.size, 0)
    },
    enterAtOnce(owner, amount = 1) {
      // Behind what of its own waits already.
      if (lines.has(owner) || shares.room(owner) < amount) return undefined
      serve(owner, amount)
      return leaveOnce(owner, amount)
    },
    async enter(owner, signal, amount = 1) {
      signal?.throwIfAborted()
      const atOnce = queue.enterAtOnce(owner, amount)
      if (atOnce !== undefined) return atOnce
      await turnOf(owner, signal, amount)
      return leaveOnce(owner, amount)
    },
    async use(owner, work) {
      const leave = await queue.enter(owner)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
  return queue
}
