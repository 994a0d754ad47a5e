/** Who may work now: so many at a time, and whoever has least under way comes first. */
export interface Queue {
  readonly busy: number
  readonly waiting: number
  /**
   * Waits for a place.
   * @returns what gives it back
   * @throws the reason of `signal` when it aborts first
   */
  enter(owner: string, signal: AbortSignal): Promise<() => void>
}

interface Waiting {
  owner: string
  admit: () => void
}

/**
 * There are `most` places and one more. An owner never holds more than `most`, so that a newcomer finds one free, however
 * long what another has under way takes; of those who wait, the one with the fewest under way is next, and of equals the
 * one that has waited longest since it was served.
 */
export function createQueue(most: number): Queue {
  const held = new Map<string, number>()
  /** When an owner was last served, in turns. */
  const served = new Map<string, number>()
  let waiting: Waiting[] = []
  let busy = 0
  let turn = 0
  const heldBy = (owner: string) => held.get(owner) ?? 0

  function hold(owner: string, change: 1 | -1): void {
    busy += change
    const after = heldBy(owner) + change
    if (after === 0) held.delete(owner)
    else held.set(owner, after)
  }

  function next(): Waiting | undefined {
    return waiting
      .filter(({ owner }) => heldBy(owner) < most)
      .sort(
        (a, b) =>
          heldBy(a.owner) - heldBy(b.owner) || (served.get(a.owner) ?? 0) - (served.get(b.owner) ?? 0),
      )[0]
  }

  function admitNext(): void {
    const first = busy <= most ? next() : undefined
    if (first === undefined) return
    waiting = waiting.filter((one) => one !== first)
    hold(first.owner, 1)
    turn += 1
    served.set(first.owner, turn)
    first.admit()
    admitNext()
  }

  function leaveOnce(owner: string): () => void {
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      hold(owner, -1)
      admitNext()
      // Nobody is there whom an earlier turn could be held against.
      if (busy === 0) served.clear()
    }
  }

  return {
    get busy() {
      return busy
    },
    get waiting() {
      return waiting.length
    },
    enter(owner, signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        function giveUp(): void {
          waiting = waiting.filter((other) => other !== one)
          reject(signal.reason)
        }
        const one: Waiting = {
          owner,
          admit() {
            signal.removeEventListener('abort', giveUp)
            resolve(leaveOnce(owner))
          },
        }
        signal.addEventListener('abort', giveUp, { once: true })
        waiting.push(one)
        admitNext()
      })
    },
  }
}
