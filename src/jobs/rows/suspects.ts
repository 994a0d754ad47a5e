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
   * Waits until no other suspect is alone; of several that wait the one with the fewest deaths is next.
   * @returns what lets the next one begin, called once or more; undefined where the process is to end
   */
  enter(deaths: number): Promise<(() => void) | undefined>
  /** Those that wait do not begin any more. */
  stop(): void
}

interface Waiting {
  deaths: number
  admit: (leave: (() => void) | undefined) => void
}

export function createSuspects(clock: Pick<Clock, 'after'>): Suspects {
  const waiting = new Set<Waiting>()
  let isTaken = false
  let isOver = false

  function take(): () => void {
    isTaken = true
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
    for (const one of waiting) if (next === undefined || one.deaths < next.deaths) next = one
    if (next === undefined || isTaken) return
    waiting.delete(next)
    next.admit(take())
  }

  return {
    enter(deaths) {
      if (isOver) return Promise.resolve(undefined)
      if (!isTaken) return Promise.resolve(take())
      return new Promise((admit) => waiting.add({ deaths, admit }))
    },
    stop() {
      isOver = true
      for (const { admit } of waiting) admit(undefined)
      waiting.clear()
    },
  }
}
