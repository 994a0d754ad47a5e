import { systemClock } from '#src/core/clock.ts'
import type { Database } from '#src/db/database.ts'
import { createLease, type Lease } from '#src/jobs/lease/lease.ts'
import { createLeaseStore } from '#src/jobs/lease/lease-store.ts'

/** The lease of a process of its own. */
export function newLease(database: Database, more: Partial<Parameters<typeof createLease>[0]> = {}): Lease {
  const store = createLeaseStore(database)
  const log = { error() {} }
  return createLease({ clock: systemClock, store, log, shared: database.shared, ...more })
}

interface Part {
  start(): Promise<void>
  stop(): Promise<void>
}

/** A part of a process with the lease that it needs: both start and stop together. */
export function leased<P extends Part>(lease: Lease, part: P): P {
  return {
    ...part,
    async start() {
      await lease.start()
      await part.start()
    },
    async stop() {
      lease.retire()
      await part.stop()
      await lease.stop()
    },
  }
}
