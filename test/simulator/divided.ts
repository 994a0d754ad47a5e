import type { OwnershipStore } from '#src/jobs/job-store.ts'
import type { Bug } from './bugs.ts'

/**
 * The reads and writes by which a worker divides lanes, with a planted fault.
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
      // As if all other workers had written the same as this one.
      return rows.map((row) => ({ ...row, seen: own.seen, view: own.view }))
    },
    save(id, changes) {
      const isHidden = bug === 'divided before the drain' && changes.draining !== undefined
      return store.save(id, isHidden ? { ...changes, draining: [] } : changes)
    },
  }
}
