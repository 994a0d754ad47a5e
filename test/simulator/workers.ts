import { type Millis, SKEW } from '#src/core/clock.ts'
import type { Job } from '#src/jobs/job.ts'
import type { JobStore } from '#src/jobs/job-store.ts'
import { forgetWorker, type LeaseDisk } from './shards.ts'

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

/** The names under which jobs are claimed, over the model of a disk. */
export function createModelWorkers({
  disk,
  shared,
  bug,
}: ModelWorkersDeps): Pick<
  JobStore<Job>,
  'join' | 'correct' | 'correctDue' | 'keepAlive' | 'freeDead' | 'leave'
> {
  return {
    async join(workerId, aliveUntil) {
      disk.workers.set(workerId, aliveUntil)
    },
    async correct(aliveUntil) {
      if (bug === 'moments of a wrong clock') return
      for (const [id, until] of disk.workers) if (until > aliveUntil + SKEW) disk.workers.set(id, aliveUntil)
    },
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
    async keepAlive(workerId, aliveUntil, now) {
      const until = disk.workers.get(workerId)
      if (until === undefined) return false
      const isLater = until >= aliveUntil && until <= 2 * aliveUntil - now + SKEW
      disk.workers.set(workerId, isLater ? until : aliveUntil)
      return true
    },
    async freeDead(workerId, now, mayFreeExpired) {
      if (bug === 'no recovery') return
      for (const [id, aliveUntil] of disk.workers)
        if (id !== workerId && (!shared || (mayFreeExpired && aliveUntil <= now)))
          forgetWorker(disk, id, { leaves: false })
      for (const row of disk.rows.values()) {
        if (row.claim === null || disk.workers.has(row.claim)) continue
        row.claim = null
        if (row.due !== null && row.due > now + SKEW) row.due = now
      }
    },
    async leave(workerId) {
      forgetWorker(disk, workerId, { leaves: true })
      for (const row of disk.rows.values()) if (row.claim === workerId) row.claim = null
    },
  }
}
