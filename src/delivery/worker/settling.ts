import { type Clock, sleep } from '../../core/clock.ts'
import type { DeliveryStore, Settlement } from '../store/job.ts'
import { STORE_RETRY } from '../store/job.ts'

/** A result that waits for its commit. */
export interface Unsettled {
  /** The worker under whose claim it came to be. */
  workerId: string
  settlement: Settlement
  isWell: boolean
  maxInFlight: number
}

interface SettlingDeps {
  clock: Clock
  store: DeliveryStore
  log: { error(data: object, message: string): void }
  /** Is told of results that have been committed. */
  onSettled: (settled: Unsettled[]) => void
}

/** Writes results, those that arrive while a commit is under way together in the next one. */
export interface Settling {
  /** Resolves when the result has been committed. */
  settle(result: Unsettled): Promise<void>
  /** Gives up waiting for a store that keeps failing; its deliveries are made again after the next start. */
  abandon(): void
}

/** Results of one commit. */
interface Batch {
  results: Unsettled[]
  committed: PromiseWithResolvers<void>
}

export function createSettling({ clock, store, log, onSettled }: SettlingDeps): Settling {
  /** Takes in what arrives while a commit is under way. */
  let gathering: Batch | undefined
  let isWriting = false
  const abandoned = new AbortController()

  function begin(): void {
    if (gathering === undefined || isWriting) return
    const batch = gathering
    gathering = undefined
    isWriting = true
    void write(batch).finally(() => {
      isWriting = false
      batch.committed.resolve()
      begin()
    })
  }

  async function write({ results }: Batch): Promise<void> {
    for (;;) {
      try {
        for (const [workerId, own] of Map.groupBy(results, (result) => result.workerId)) {
          await store.settle(
            workerId,
            own.map(({ settlement }) => settlement),
            clock.now(),
          )
        }
        return onSettled(results)
      } catch (error) {
        // Our fault, not the destination's: nothing is attempted again for it.
        log.error({ err: error }, 'deliveries could not be settled')
        if (abandoned.signal.aborted) return
        await sleep(clock, STORE_RETRY, abandoned.signal)
      }
    }
  }

  return {
    settle(result) {
      gathering ??= { results: [], committed: Promise.withResolvers() }
      gathering.results.push(result)
      const { promise } = gathering.committed
      begin()
      return promise
    },
    abandon: () => abandoned.abort(),
  }
}
