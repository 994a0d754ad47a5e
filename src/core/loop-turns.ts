import { type Millis, SECOND, stopwatch, turn } from './clock.ts'

/** For this long in one turn of the event loop any owner may begin work. After it only owners that have begun nothing in this turn may. */
const LONGEST: Millis = 2
/** Waiting pieces of work that begin in one turn at most; none begins later than `LONGEST` in it. */
const MOST_AT_ONCE = 16
/** An owner that asked within this time counts as active. */
const LATELY: Millis = SECOND

/**
 * Divides the event loop among owners. An owner with much work begins a part of it in each turn of the loop, so that new requests
 * are read in between. Waiting owners are served round robin.
 */
export interface LoopTurns<Owner> {
  /** Resolves when the next piece of an owner's work may begin; undefined where it may begin at once. */
  enter(owner: Owner): Promise<void> | undefined
  /** Whether no other owner has asked within a second, so that a long piece of work delays no one. */
  isAlone(owner: Owner): boolean
}

/** The sources of time and turns. Tests pass their own, because they cannot control the order within a real turn. */
interface LoopParts {
  /** The time since creation. */
  elapsed?: () => Millis
  /** Resolves in the next turn of the loop, after arrived input was read. */
  next?: () => Promise<void>
}

export function createLoopTurns<Owner>({
  elapsed = stopwatch(),
  next = turn,
}: LoopParts = {}): LoopTurns<Owner> {
  /** Waiting work by owner; the first owner is next. */
  const waiting = new Map<Owner, (() => void)[]>()
  let size = 0
  /** Owners that have begun work in this turn, and when the first did. */
  const begun = new Set<Owner>()
  let begunAt = 0
  let isNextComing = false
  /** The owner that asked last, and the last other owner before it. */
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

  /** Each piece of waiting work begins in its own step, so that the time of the piece before it is known. */
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
