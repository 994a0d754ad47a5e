import { type Batcher, COMPANY, createBatcher, type Rest } from '../../core/batcher.ts'
import { type Clock, type Millis, sleep } from '../../core/clock.ts'
import { onBehalfOf, onBehalfOfAll } from '../../core/context.ts'
import { type Job, STORE_RETRY } from '../job.ts'
import type { JobStore } from '../job-store.ts'
import type { Learnt } from '../turns/lanes.ts'

/** A result that waits for its commit. */
export interface Unsettled<S> {
  /** The worker under whose claim it came to be. */
  workerId: string
  settlement: S
  learnt: Learnt
}

interface SettlingDeps<S> {
  clock: Clock
  store: { settle(workerId: string, settlements: S[], now: Millis): Promise<void> }
  log: { error(data: object, message: string): void }
  /** Whether a commit is a journey, so that a crowd waits for company. */
  isFar: boolean
  /** The owner on whose behalf a result is written. Owners have commits of their own and do not wait for each other; all share unless given. */
  behalfOf?: ((settlement: S) => string) | undefined
  /** How a crowd waits. */
  rest?: Rest | undefined
}

/** Writes results; those that arrive while a commit of their owner is under way share the next one. */
export interface Settling<S> {
  /** Resolves when the result has been committed. */
  settle(result: Unsettled<S>): Promise<void>
  /** Ends the wait for a store that keeps failing; its jobs are done again after the next start. */
  abandon(): void
  /** Calls `listener`, the only one, with results that have been committed. */
  listen(listener: (settled: Unsettled<S>[]) => void): void
}

/** As much of a settlement as matters here. */
interface Timed {
  dueAt: Millis | null
}

/** A result, and what the clock said when its wait was decided on. */
interface Dated<S> extends Unsettled<S> {
  at: Millis
}

export function createSettling<S extends Timed>(deps: SettlingDeps<S>): Settling<S> {
  const { clock, store, log, isFar, behalfOf, rest } = deps
  let onSettled: (settled: Unsettled<S>[]) => void = () => {}
  /** One an owner, while it has results that are not committed. */
  const batchers = new Map<string | undefined, Batcher<Dated<S>, void>>()
  const abandoned = new AbortController()

  function batcherOf(owner: string | undefined): Batcher<Dated<S>, void> {
    const present = batchers.get(owner)
    if (present !== undefined) return present
    const batcher = createBatcher<Dated<S>>(
      async (take) => {
        const results = take()
        await onBehalfOf(owner, () => write(results))
        if (batcher.waiting === 0) batchers.delete(owner)
        return undefined
      },
      { company: isFar ? COMPANY : undefined, rest },
    )
    batchers.set(owner, batcher)
    return batcher
  }

  /** A store that fails is asked again until it takes the results: nothing is attempted again because of it. */
  async function write(results: Dated<S>[]): Promise<void> {
    for (;;) {
      for (const result of results) keepWait(result, clock.now())
      try {
        for (const [workerId, own] of Map.groupBy(results, (result) => result.workerId)) {
          await store.settle(
            workerId,
            own.map(({ settlement }) => settlement),
            clock.now(),
          )
        }
        return onBehalfOfAll(() => onSettled(results))
      } catch (error) {
        log.error({ err: error }, 'results could not be settled')
        if (abandoned.signal.aborted) return
        await sleep(clock, STORE_RETRY, abandoned.signal)
      }
    }
  }

  return {
    settle: (result) => batcherOf(behalfOf?.(result.settlement)).add({ ...result, at: clock.now() }),
    abandon: () => abandoned.abort(),
    listen(listener) {
      onSettled = listener
    },
  }
}

/**
 * Keeps the length of a wait where the clock was set back after the wait was decided on: its moment is of a clock that was wrong,
 * and the row is written when the clock is right.
 */
function keepWait(result: Dated<Timed>, now: Millis): void {
  const { settlement, at } = result
  if (settlement.dueAt !== null && now < at) settlement.dueAt -= at - now
  result.at = now
}

/** Gives claims back to the table. @returns resolves when it is done */
export type Release<J extends Job> = (jobs: J[], claimer: string) => Promise<void>

/** Releases that come while a commit is under way share the next one: a lane that is paused gives back many at once. */
export function createRelease<J extends Job>(store: Pick<JobStore<J>, 'release'>): Release<J> {
  const batcher = createBatcher<{ jobs: J[]; claimer: string }>(async (take) => {
    for (const [claimer, own] of Map.groupBy(take(), (one) => one.claimer))
      await store.release(
        claimer,
        own.flatMap(({ jobs }) => jobs),
      )
    return undefined
  })
  return (jobs, claimer) => (jobs.length === 0 ? Promise.resolve() : batcher.add({ jobs, claimer }))
}
