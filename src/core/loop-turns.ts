import { type Millis, SECOND, stopwatch, turn } from './clock.ts'

/** So long what has come may begin in one turn of the loop; then only who has begun nothing in it, and the others wait. */
const LONGEST: Millis = 2
/** Of those that wait so many begin with the next turn at most, and none after it has lasted as long. */
const MOST_AT_ONCE = 16
/** Who has asked for something so lately is about. */
const LATELY: Millis = SECOND

/**
 * The one thread, shared out among those who ask something of it: who asks for much at once begins a little of it in each turn
 * of the event loop, so that whoever comes meanwhile is heard in the next. Those who wait take turns.
 */
export interface LoopTurns<Owner> {
  /** Resolves when the next piece of an owner's work may begin; undefined where that is at once. */
  enter(owner: Owner): Promise<void> | undefined
  /** Whether nobody else has asked for anything of late, so that nobody minds if one piece takes long. */
  isAlone(owner: Owner): boolean
}

interface Beside {
  /** Tells how long it has been. */
  elapsed?: () => Millis
  /** Resolves in the next turn of the loop, once what came meanwhile has been heard. */
  next?: () => Promise<void>
}

export function createLoopTurns<Owner>({
  elapsed = stopwatch(),
  next = turn,
}: Beside = {}): LoopTurns<Owner> {
  /** What waits to begin, by who waits; whose turn it is first. */
  const waiting = new Map<Owner, (() => void)[]>()
  let size = 0
  /** Who has begun something in this turn, and when the first of them did. */
  const begun = new Set<Owner>()
  let begunAt = 0
  let isNextComing = false
  /** Who asked last, and who did before of the others. */
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

  /** Each of those that wait begins by itself: what the one before has begun has been done by then, and its time is known. */
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
