import type { OwnershipStore } from '#src/jobs/job-store.ts'
import type { Bug } from './bugs.ts'

/**
 * What a worker reads and writes of how lanes are divided, with a fault planted in it.
 * @param name the worker that reads
 */
export function withBug(store: OwnershipStore, name: () => string, bug: Bug | undefined): OwnershipStore {
  return {
    ...store,
    async readWorkers() {
      const rows = await store.readWorkers()
      const own = rows.find(({ id }) => id === name())
      if (bug === 'lanes not divided') return rows.filter((row) => row === own)
      if (bug !== 'divided anew before all agree' || own === undefined) return rows
      // As if all others had written what it has written itself.
      return rows.map((row) => ({ ...row, seen: own.seen, view: own.view }))
    },
    saveView: (id, view) =>
      store.saveView(id, bug === 'divided before the drain' ? { ...view, draining: [] } : view),
  }
}
