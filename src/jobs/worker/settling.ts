import { type Batcher, createBatcher, GROUP_COMMIT_WAIT, type Wait } from '../../core/batcher.ts'
import { type Clock, type Millis, sleep } from '../../core/clock.ts'
import { runForOwner, runWithoutOwner } from '../../core/context.ts'
import { STORE_RETRY } from '../job.ts'
import type { UnlockedStore } from '../job-store.ts'
import type { Result } from './worker.ts'

/** A result that waits for its commit. */
interface Unsettled<S> extends Result<S> {
  /** The worker that has claimed the job. */
  workerId: string
}

interface SettlingDeps<S> {
  clock: Clock
  store: {
    settle(workerId: string, settlements: S[], now: Millis): Promise<void>
    unlocked?: UnlockedStore<S>
  }
  log: { error(data: object, message: string): void }
  /** Whether the database is remote, so that a batch waits for more results. */
  isFar: boolean
  /** The owner of a result. Each owner has commits of its own and does not wait for others; unless given, all share commits. */
  behalfOf?: ((settlement: S) => string) | undefined
  /** How a batch waits; by the machine's time unless given. */
  rest?: Wait | undefined
}

/** Writes results; those that arrive while a commit of their owner is under way share the next one. */
export interface Settling<S> {
  /** Resolves when the result has been committed; at once where the work has settled it. */
  settle(result: Unsettled<S>): Promise<void>
  /** Gives up on a failing store; the jobs are done again after the next start. */
  abandon(): void
  /** Calls `listener`, the only one, with committed results. */
  listen(listener: (settled: Unsettled<S>[]) => void): void
}

/** The part of a settlement that is read here. */
interface Timed {
  dueAt: Millis | null
}

/** A result, and the time when its wait was computed. */
interface Dated<S> extends Unsettled<S> {
  at: Millis
}

export function createSettling<S extends Timed>(deps: SettlingDeps<S>): Settling<S> {
  const { clock, store, log, isFar, behalfOf, rest } = deps
  let onSettled: (settled: Unsettled<S>[]) => void = () => {}
  /** A batcher for each owner with uncommitted results. */
  const batchers = new Map<string | undefined, Batcher<Dated<S>, void>>()
  const abandoned = new AbortController()
  const { unlocked } = store
  const groupWait = isFar ? GROUP_COMMIT_WAIT : undefined
  /** Results of all owners; each gets whether it was settled. */
  const together = createBatcher<Dated<S>, boolean>(
    async (take) => {
      const results = take()
      const settled = new Set<S>()
      for (const result of results) keepWait(result, clock.now())
      for (const [workerId, own] of Map.groupBy(results, (result) => result.workerId)) {
        const settlements = own.map(({ settlement }) => settlement)
        for (const one of (await unlocked?.settle(workerId, settlements, clock.now())) ?? []) settled.add(one)
      }
      onSettled(results.filter(({ settlement }) => settled.has(settlement)))
      return results.map(({ settlement }) => settled.has(settlement))
    },
    { groupWait, rest },
  )

  /** @returns false where the owner's batch must settle it, which also tries again after a failure of the store */
  async function settleTogether(result: Dated<S>): Promise<boolean> {
    if (unlocked?.takes(result.settlement) !== true) return false
    return together.add(result).catch(() => false)
  }

  function batcherOf(owner: string | undefined): Batcher<Dated<S>, void> {
    const present = batchers.get(owner)
    if (present !== undefined) return present
    const batcher = createBatcher<Dated<S>>(
      async (take) => {
        const results = take()
        await runForOwner(owner, () => write(results))
        if (batcher.waiting === 0) batchers.delete(owner)
        return undefined
      },
      { groupWait, rest },
    )
    batchers.set(owner, batcher)
    return batcher
  }

  /** Tries again until the store takes the results, so that no attempt is repeated because of a failing store. */
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
        return runWithoutOwner(() => onSettled(results))
      } catch (error) {
        log.error({ err: error }, 'results could not be settled')
        if (abandoned.signal.aborted) return
        await sleep(clock, STORE_RETRY, abandoned.signal)
      }
    }
  }

  return {
    async settle(result) {
      if (result.isSettled) return runWithoutOwner(() => onSettled([result]))
      const dated = { ...result, at: clock.now() }
      if (await settleTogether(dated)) return
      await batcherOf(behalfOf?.(result.settlement)).add(dated)
    },
    abandon: () => abandoned.abort(),
    listen(listener) {
      onSettled = listener
    },
  }
}

/** Keeps the length of a wait when the clock was set back after the wait was computed, by moving its end. */
function keepWait(result: Dated<Timed>, now: Millis): void {
  const { settlement, at } = result
  if (settlement.dueAt !== null && now < at) settlement.dueAt -= at - now
  result.at = now
}
