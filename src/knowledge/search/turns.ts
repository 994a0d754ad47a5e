import type { Id } from '../../core/id.ts'

type Owner = Id<'organization'>

/** Lets searches run a few at a time; organizations take turns, and none has more than half of the places. */
export type Turns = <T>(owner: Owner, work: () => Promise<T>) => Promise<T>

export function createTurns(most: number): Turns {
  const each = Math.max(1, Math.floor(most / 2))
  /** Who waits, in the order of their turns. */
  const waiting = new Map<Owner, (() => void)[]>()
  const running = new Map<Owner, number>()
  let count = 0

  const isFree = (owner: Owner) => count < most && (running.get(owner) ?? 0) < each

  function change(owner: Owner, by: 1 | -1): void {
    const after = (running.get(owner) ?? 0) + by
    count += by
    if (after === 0) running.delete(owner)
    else running.set(owner, after)
  }

  function next(): void {
    for (const [owner, line] of waiting) {
      if (!isFree(owner)) continue
      const begin = line.shift()
      // Its next one waits behind everybody else's.
      waiting.delete(owner)
      if (line.length > 0) waiting.set(owner, line)
      change(owner, 1)
      begin?.()
      return
    }
  }

  return async (owner, work) => {
    if (isFree(owner) && !waiting.has(owner)) change(owner, 1)
    else
      await new Promise<void>((resolve) => {
        const line = waiting.get(owner) ?? []
        line.push(resolve)
        waiting.set(owner, line)
      })
    try {
      return await work()
    } finally {
      change(owner, -1)
      next()
    }
  }
}
