import { type Clock, type Millis, SECOND, sleep } from '../core/clock.ts'
import type { DeliveryStore, Settlement } from './deliveries.ts'

/** A result that waits for its commit. */
export interface Unsettled {
  /** The worker under whose claim it came to be. */
  workerId: string
  settlement: Settlement
  isWell: boolean
  maxInFlight: number
}

/** After a failure of our own store the results wait this long, in memory. */
export const STORE_RETRY: Millis = SECOND

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

export function createSettling({ clock, store, log, onSettled }: SettlingDeps): Settling {
  let waiting: Unsettled[] = []
  let writing: Promise<void> | undefined
  const abandoned = new AbortController()

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        for (const [workerId, results] of Map.groupBy(batch, (result) => result.workerId)) {
          await store.settle(
            workerId,
            results.map(({ settlement }) => settlement),
            clock.now(),
          )
        }
        onSettled(batch)
      } catch (error) {
        // Our fault, not the destination's: nothing is attempted again for it.
        log.error({ err: error }, 'deliveries could not be settled')
        if (abandoned.signal.aborted) return
        waiting = [...batch, ...waiting]
        await sleep(clock, STORE_RETRY, abandoned.signal)
      }
    }
  }

  return {
    settle(result) {
      waiting.push(result)
      writing ??= writeAll().finally(() => {
        writing = undefined
      })
      return writing
    },
    abandon: () => abandoned.abort(),
  }
}
