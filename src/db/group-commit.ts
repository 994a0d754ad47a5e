import {
  type Batcher,
  type BatcherOptions,
  createBatcher,
  FailedItem,
  GROUP_COMMIT_WAIT,
} from '../core/batcher.ts'
import { BusyError, type Engine, UnknownOutcomeError } from './engine/engine.ts'
import type { Tx } from './engine/handles.ts'

interface GroupCommitDeps<Item, Result> extends Pick<BatcherOptions<Item>, 'most' | 'atOnce' | 'perOwner'> {
  database: Pick<Engine, 'tx' | 'brief' | 'shared'>
  by: 'tx' | 'brief'
  /** Writes items; its results have their order. */
  write: (tx: Tx, items: Item[]) => Promise<Result[]>
}

/**
 * Group commit of items that must not be written twice: items that arrive during a transaction share the next
 * one. After an error each item is written alone, unless no connection was free or the transaction may have
 * taken effect.
 */
export function createGroupCommit<Item, Result>({
  database,
  by,
  write,
  ...options
}: GroupCommitDeps<Item, Result>): Batcher<Item, Result> {
  return createBatcher<Item, Result>(
    async (take) => {
      let items: Item[] = []
      let isWritten = false
      try {
        return await database[by](async (tx) => {
          // Items that arrived while the transaction waited for its turn are part of it.
          items = take()
          const results = await write(tx, items)
          isWritten = true
          return results
        })
      } catch (error) {
        // The commit failed and may have taken effect: another one could write the items twice.
        if (isWritten) return items.map(() => new FailedItem(error))
        throw error
      }
    },
    {
      ...options,
      // The writer of the embedded engine waits for more items by itself (`sqlite/writer.ts`).
      groupWait: database.shared ? GROUP_COMMIT_WAIT : undefined,
      isItemError: (error) =>
        error instanceof BusyError ? error.hasBegun : !(error instanceof UnknownOutcomeError),
    },
  )
}
