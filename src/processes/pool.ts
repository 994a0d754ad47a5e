import { availableParallelism } from 'node:os'
import { MINUTE, type Millis, systemClock } from '../core/clock.ts'
import { atMost, createFairLimiter } from '../core/fair-limiter.ts'
import { type Child, startChild } from './child.ts'
import type { Program } from './program.ts'
import { bundleProgram, type ProgramBundle } from './program-bundle.ts'

/** Children that each do one piece of work, so many at a time. */
interface Pool {
  /**
   * Does `work` with a child of its own, which is killed when it is done, so that no file meets what another one left behind.
   * Waits for a place; organizations take turns.
   * @throws what `signal` gives as its reason when it aborts before there was a place, likewise when the pool
   * is closed; what `work` throws
   */
  use<T>(organizationId: string, signal: AbortSignal, work: (child: Child) => Promise<T>): Promise<T>
  /** Starts a child that will be needed soon, unless one waits already. */
  prestart(): void
  /** Kills the children that run, and ends all waits for a place. */
  close(): Promise<void>
}

/** Children of one organization at work at once. */
const MOST_OF_ONE = Math.max(1, Math.floor(availableParallelism() / 2))
/** A start takes a processor's time, which what is done with a child's answer needs first. */
const SPARE_LATER: Millis = 50
/** A spare is kept for so long after the last use; a quiet server carries none. */
const SPARE_KEPT: Millis = MINUTE

export function createPool(program: Program): Pool {
  // One more than an organization may hold, so that another finds it free, however long what is under way takes.
  const queue = createFairLimiter<string>(MOST_OF_ONE + 1, atMost(MOST_OF_ONE))
  const alive = new Set<Child>()
  let spare: Child | undefined
  let introduction: ProgramBundle | undefined
  let cancelSpare = () => {}
  const closing = new AbortController()

  function start(): Child {
    introduction ??= bundleProgram(program)
    const child = startChild(program, introduction)
    alive.add(child)
    child.ended.then(() => {
      alive.delete(child)
      if (spare === child) spare = undefined
    })
    return child
  }

  function take(): Child {
    const child = spare ?? start()
    spare = undefined
    return child
  }

  /** Starting takes long, so the next one's child starts before it is asked for. */
  function prepare(): void {
    cancelSpare()
    if (closing.signal.aborted) return
    spare ??= start()
    cancelSpare = systemClock.after(SPARE_KEPT, () => spare?.kill('done'))
  }

  return {
    async use(organizationId, signal, work) {
      const either = AbortSignal.any([signal, closing.signal])
      const leave = await queue.enter(organizationId, either)
      try {
        either.throwIfAborted()
        const child = take()
        if (queue.waiting > 0) prepare()
        const abort = () => child.kill('aborted')
        either.addEventListener('abort', abort, { once: true })
        try {
          return await work(child)
        } finally {
          either.removeEventListener('abort', abort)
          child.kill('done')
          // Its place is free when it is gone; its answer is not waited for.
          void child.ended.then(() => {
            leave()
            cancelSpare()
            cancelSpare = systemClock.after(SPARE_LATER, prepare)
          })
        }
      } catch (error) {
        leave()
        throw error
      }
    },
    prestart: prepare,
    async close() {
      closing.abort(new Error('the pool of processes is closed'))
      cancelSpare()
      for (const child of alive) child.kill('aborted')
      await Promise.all([...alive].map(({ ended }) => ended))
    },
  }
}
