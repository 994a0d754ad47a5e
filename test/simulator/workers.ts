import { type Millis, SKEW } from '#src/core/clock.ts'
import type { Job } from '#src/jobs/job.ts'
import type { JobStore, OwnershipStore, WorkerRow } from '#src/jobs/job-store.ts'
import type { LeaseStore } from '#src/jobs/lease/lease.ts'

/** A worker's row on the model disk. */
export interface ModelWorker extends Omit<WorkerRow, 'id'> {
  aliveUntil: Millis
}

/** The part of a model disk that workers and leases read, for any kind of job. */
export interface LeaseDisk {
  rows: ReadonlyMap<string, { laneId: string; claim: string | null }>
  workers: Map<string, ModelWorker>
}

/** A job of any kind as workers and their leases change it. */
interface LeasedRow {
  laneId: string
  status: string
  due: Millis | null
  claim: string | null
  updatedAt: Millis
}

interface ModelWorkersDeps {
  disk: Omit<LeaseDisk, 'rows'> & { rows: ReadonlyMap<string, LeasedRow> }
  /** Whether crashed workers of other processes are told by their lease; without it all others have crashed. */
  shared: boolean
  bug?: string | undefined
}

export function newWorker(aliveUntil: Millis): ModelWorker {
  return { aliveUntil, isRetired: false, seen: null, view: null, draining: [] }
}

/** By which workers divide lanes, over the model of a disk. */
export function createModelOwnership({ rows, workers }: LeaseDisk): OwnershipStore {
  return {
    readWorkers: async () =>
      [...workers]
        .map(([id, { isRetired, seen, view, draining }]) => ({ id, isRetired, seen, view, draining }))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    async save(workerId, changes) {
      Object.assign(workers.get(workerId) ?? {}, changes)
    },
    async claimedLanes(workerId) {
      const claimed = [...rows.values()].filter(({ claim }) => claim === workerId)
      return [...new Set(claimed.map(({ laneId }) => laneId))].sort()
    },
  }
}

/** The leases of processes, over the model of a disk. */
export function createModelLeases({ disk: { workers }, shared, bug }: ModelWorkersDeps): LeaseStore {
  return {
    async join(workerId, aliveUntil) {
      workers.set(workerId, newWorker(aliveUntil))
    },
    async correct(latest) {
      if (bug === 'moments of a wrong clock') return
      const aliveUntil = latest()
      for (const worker of workers.values())
        if (worker.aliveUntil > aliveUntil + SKEW) worker.aliveUntil = aliveUntil
    },
    async keepAlive(workerId, aliveUntil, now) {
      const worker = workers.get(workerId)
      if (worker === undefined) return false
      const until = worker.aliveUntil
      const isLater = until >= aliveUntil && until <= 2 * aliveUntil - now + SKEW
      worker.aliveUntil = isLater ? until : aliveUntil
      return true
    },
    async removeDead(workerId, now, mayRemoveExpired) {
      if (bug === 'no recovery') return 0
      const before = workers.size
      for (const [id, { aliveUntil }] of workers)
        if (id !== workerId && (!shared || (mayRemoveExpired && aliveUntil <= now))) workers.delete(id)
      return before - workers.size
    },
    async leave(workerId) {
      workers.delete(workerId)
    },
    // Its operations end by themselves.
    interrupt() {},
  }
}

/** Corrects due moments and frees lost claims, over the model of a disk. */
export function createModelClaims({ disk, bug }: Omit<ModelWorkersDeps, 'shared'>): Pick<
  JobStore<Job>,
  'correctDue' | 'freeLost' | 'giveUp'
> & {
  ownership: OwnershipStore
} {
  return {
    ownership: createModelOwnership(disk),
    async correctDue(now) {
      const lanes = new Set<string>()
      if (bug === 'moments of a wrong clock') return []
      for (const row of disk.rows.values()) {
        const isWaiting = row.status === 'pending' && row.claim === null
        if (!isWaiting || (row.due ?? 0) <= now + SKEW || row.updatedAt <= now + SKEW) continue
        row.due = now
        row.updatedAt = now
        lanes.add(row.laneId)
      }
      return [...lanes]
    },
    async freeLost(now) {
      if (bug === 'no recovery') return
      for (const row of disk.rows.values()) {
        if (row.claim === null || disk.workers.has(row.claim)) continue
        row.claim = null
        if (row.due !== null && row.due > now + SKEW) row.due = now
      }
    },
    async giveUp(workerId) {
      for (const row of disk.rows.values()) if (row.claim === workerId) row.claim = null
    },
  }
}
