import { type Millis, SECOND, stopwatch, turn } from './clock.ts'

/** How long work may begin in one turn of the loop. After that only owners that have begun nothing in this turn may; others wait. */
const LONGEST: Millis = 2
/** Pieces of waiting work that begin in the next turn at most; none begins after `LONGEST` in it. */
const MOST_AT_ONCE = 16
/** An owner that asked within this time counts as present. */
const LATELY: Millis = SECOND

/**
 * Divides the one thread among owners: an owner that asks for much begins a part of it in each turn of the event loop, so that new
 * requests are read in between. Owners that wait take turns.
 */
export interface LoopTurns<Owner> {
  /** Resolves when the next piece of an owner's work may begin; undefined where that is at once. */
  enter(owner: Owner): Promise<void> | undefined
  /** Whether no other owner has asked within a second, so that a long piece of work delays none. */
  isAlone(owner: Owner): boolean
}

/** How time passes and turns come. Tests bring their own, because the order within a turn of the machine's loop is not theirs. */
interface LoopParts {
  /** Tells how long it has been. */
  elapsed?: () => Millis
  /** Resolves in the next turn of the loop, after the input that has arrived was read. */
  next?: () => Promise<void>
}

export function createLoopTurns<Owner>({
  elapsed = stopwatch(),
  next = turn,
}: LoopParts = {}): LoopTurns<Owner> {
  /** Waiting work by owner; the first owner is next. */
  const waiting = new Map<Owner, (() => void)[]>()
  let size = 0
  /** Owners that have begun something in this turn, and when the first did. */
  const begun = new Set<Owner>()
  let begunAt = 0
  let isNextComing = false
  /** The owner that asked last, and the last other one before it. */
  let newest: { owner: Owner; at: Millis } | undefined
  let other: typeof newest

  function note(owner: Owner, at: Millis): void {
    if (newest?.owner === owner) newest.at = at
    else [newest, other] = [{ owner, at }, newest]
  }

  function mayBegin(owner: Owner, now: Millis): boolean {
    return !begun.has(owner) || now - begunAt < LONGEST
  }

  function begin(owner: Owner, now: Millis): void {
    if (begun.size === 0) begunAt = now
    begun.add(owner)
    if (!isNextComing) prepareNext()
  }

  /** Waiting work begins in steps of one each: the piece before has ended by then, and its time is known. */
  function prepareNext(): void {
    isNextComing = true
    let left = Math.min(Math.max(1, size), MOST_AT_ONCE)
    let endsAt: Millis | undefined
    const step = () => {
      left -= 1
      const now = elapsed()
      endsAt ??= now + LONGEST
      if (now < endsAt) beginWaiting()
      if (left > 0) return
      begun.clear()
      isNextComing = false
      if (size > 0) prepareNext()
    }
    for (let count = left; count > 0; count -= 1) void next().then(step)
  }

  function beginWaiting(): void {
    const [first] = waiting
    if (first === undefined) return
    const [owner, line] = first
    waiting.delete(owner)
    size -= 1
    line.shift()?.()
    if (line.length > 0) waiting.set(owner, line)
  }

  return {
    enter(owner) {
      const now = elapsed()
      note(owner, now)
      const line = waiting.get(owner)
      if (line === undefined && mayBegin(owner, now)) return void begin(owner, now)
      size += 1
      return new Promise((go) => {
        if (line === undefined) waiting.set(owner, [go])
        else line.push(go)
      })
    },
    isAlone(owner) {
      const last = newest?.owner === owner ? other : newest
      return last === undefined || elapsed() - last.at >= LATELY
    },
  }
}
