import { availableParallelism } from 'node:os'
import { MINUTE, type Millis, systemClock } from '../core/clock.ts'
import { atMost, createFairLimiter } from '../core/fair-limiter.ts'
import { type Child, startChild } from './child.ts'
import type { Program } from './program.ts'
import { bundleProgram, type ProgramBundle } from './program-bundle.ts'

/** A pool of child processes, each for one piece of work. */
interface Pool {
  /**
   * Runs `work` with a new child, which is killed afterwards, so that one file cannot affect another. Waits for a place; organizations
   * take turns.
   * @throws the reason of `signal` when it aborts before a place was free; an error when the pool is closed; the error of `work`
   */
  use<T>(organizationId: string, signal: AbortSignal, work: (child: Child) => Promise<T>): Promise<T>
  /** Starts a spare child for work that is about to come, unless one exists. */
  prestart(): void
  /** Kills all children, and ends all waits for a place. */
  close(): Promise<void>
}

/** Concurrent children of one organization. */
const MOST_OF_ONE = Math.max(1, Math.floor(availableParallelism() / 2))
/** The delay of the next spare's start: the processing of a child's result needs the processor first. */
const SPARE_LATER: Millis = 50
/** A spare is killed this long after the last use, so that an idle server has none. */
const SPARE_KEPT: Millis = MINUTE

export function createPool(program: Program): Pool {
  // One place more than an organization may hold, so that another organization finds one free.
  const queue = createFairLimiter<string>(MOST_OF_ONE + 1, atMost(MOST_OF_ONE))
  const alive = new Set<Child>()
  let spare: Child | undefined
  let bundle: ProgramBundle | undefined
  let cancelSpare = () => {}
  const closing = new AbortController()

  function start(): Child {
    bundle ??= bundleProgram(program)
    const child = startChild(program, bundle)
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

  /** Starts the next child before it is needed, because a start takes long. */
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
          // The place is freed when the child has ended; the result need not wait for that.
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
