import type { Millis } from '../../core/clock.ts'
import type { Database, Db, Tx } from '../../db/database.ts'
import { literal } from '../../db/literal.ts'
import type { Want } from '../job-store.ts'
import { byDue, type RowJob, toJob } from './row.ts'

interface ClaimDeps {
  database: Pick<Database, 'shared' | 'skipLocked'>
  kind: string
}

/** Claims due jobs of a kind. */
interface RowClaim {
  /** Claims up to `limit` jobs of each lane, the longest due first: no lane of rows is parked. */
  wanted(tx: Tx, workerId: string, wants: Want<RowJob>[], now: Millis): Promise<RowJob[]>
  /** Claims named jobs that are due. */
  named(tx: Tx, workerId: string, named: Pick<RowJob, 'id' | 'laneId'>[], now: Millis): Promise<RowJob[]>
}

/** Pending, unclaimed jobs of a kind. */
export function pendingRows(from: Db | Tx, kind: string) {
  return from
    .selectFrom('job')
    .where('kind', '=', kind)
    .where('status', '=', literal('pending'))
    .where('claim_id', 'is', null)
}

export function createRowClaim({ database, kind }: ClaimDeps): RowClaim {
  /** Selects and locks the jobs to claim of one lane. */
  function choose(tx: Tx, { laneId, limit }: Want<RowJob>, now: Millis) {
    return pendingRows(tx, kind)
      .select('id')
      .where('lane_id', '=', laneId)
      .where('due_at', '<=', now)
      .orderBy('due_at')
      .orderBy('id')
      .limit(limit)
      .$call(database.skipLocked)
  }

  async function claim(
    tx: Tx,
    workerId: string,
    choice: ReturnType<typeof choose>,
    now: Millis,
  ): Promise<RowJob[]> {
    const rows = await tx
      .updateTable('job')
      .set({ claim_id: workerId })
      .where('id', 'in', choice)
      .where('claim_id', 'is', null)
      // A worker whose lease has expired claims nothing.
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('worker')
            .select('worker.id')
            .where('worker.id', '=', workerId)
            .where('worker.alive_until', '>', database.shared ? now : 0),
        ),
      )
      .returningAll()
      .execute()
    return rows.map(toJob)
  }

  return {
    async wanted(tx, workerId, wants, now) {
      const jobs: RowJob[] = []
      for (const want of wants) jobs.push(...(await claim(tx, workerId, choose(tx, want, now), now)))
      return jobs.sort(byDue)
    },
    async named(tx, workerId, named, now) {
      const ids = named.map(({ id }) => id)
      if (ids.length === 0) return []
      const choice = pendingRows(tx, kind).select('id').where('due_at', '<=', now).where('id', 'in', ids)
      return (await claim(tx, workerId, choice.$call(database.skipLocked), now)).sort(byDue)
    },
  }
}
