import { type Clock, type Millis, SECOND } from '../../core/clock.ts'

/**
 * A job in which this many processes have died is a suspect. Any job under way may have caused the deaths, so from then on each
 * suspect begins alone.
 */
export const SUSPECT_FROM = 2

/** After this long the next suspect may begin beside one that is still under way. */
const LONGEST_ALONE: Millis = 10 * SECOND

/**
 * Lets the suspects of a process, of all kinds, begin one at a time, so that a death of the process shows which of them is the
 * cause. Other jobs do not wait.
 */
export interface Suspects {
  /**
   * Waits until no other suspect runs alone. Suspects with the fewest deaths are next; among equals the organizations take turns.
   * @returns a function that lets the next suspect begin, which may be called again; undefined when the process stops
   */
  enter(deaths: number, organizationId: string): Promise<(() => void) | undefined>
  /** Ends all waits; no further suspect begins. */
  stop(): void
}

interface Waiting {
  deaths: number
  organizationId: string
  admit: (leave: (() => void) | undefined) => void
}

export function createSuspects(clock: Pick<Clock, 'after'>): Suspects {
  const waiting = new Set<Waiting>()
  /** The number of each organization's last turn; kept while any suspect waits. */
  const turns = new Map<string, number>()
  let count = 0
  let isTaken = false
  let isOver = false

  function take(organizationId: string): () => void {
    isTaken = true
    count += 1
    turns.set(organizationId, count)
    let isLeft = false
    const leave = () => {
      if (isLeft) return
      isLeft = true
      cancel()
      isTaken = false
      admitNext()
    }
    const cancel = clock.after(LONGEST_ALONE, leave)
    return leave
  }

  function admitNext(): void {
    let next: Waiting | undefined
    for (const one of waiting) if (next === undefined || isBefore(one, next)) next = one
    if (next === undefined) turns.clear()
    if (next === undefined || isTaken) return
    waiting.delete(next)
    next.admit(take(next.organizationId))
  }

  function isBefore(one: Waiting, other: Waiting): boolean {
    if (one.deaths !== other.deaths) return one.deaths < other.deaths
    return (turns.get(one.organizationId) ?? 0) < (turns.get(other.organizationId) ?? 0)
  }

  return {
    enter(deaths, organizationId) {
      if (isOver) return Promise.resolve(undefined)
      if (!isTaken) return Promise.resolve(take(organizationId))
      return new Promise((admit) => waiting.add({ deaths, organizationId, admit }))
    },
    stop() {
      isOver = true
      for (const { admit } of waiting) admit(undefined)
      waiting.clear()
    },
  }
}
