import { type Clock, type Millis, SECOND } from '../../core/clock.ts'

/**
 * A job with which so many processes have died is a suspect: any of the jobs that were under way may have been the cause, and
 * each begins alone from then on.
 */
export const SUSPECT_FROM = 2

/** A suspect that has lived so long keeps the others from beginning no longer. */
const LONGEST_ALONE: Millis = 10 * SECOND

/**
 * Lets the suspects of a process, of whatever kind they are, begin one at a time, so that the death of the process tells which
 * of them is the cause, and the others do not die of it. Jobs that are no suspects wait for none.
 */
export interface Suspects {
  /**
   * Waits until no other suspect is alone. Of several that wait those with the fewest deaths are next, of these the
   * organizations take turns.
   * @returns what lets the next one begin, called once or more; undefined where the process is to end
   */
  enter(deaths: number, organizationId: string): Promise<(() => void) | undefined>
  /** Those that wait do not begin any more. */
  stop(): void
}

interface Waiting {
  deaths: number
  organizationId: string
  admit: (leave: (() => void) | undefined) => void
}

export function createSuspects(clock: Pick<Clock, 'after'>): Suspects {
  const waiting = new Set<Waiting>()
  /** When each organization last had its turn, counted in turns; as long as any waits. */
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
