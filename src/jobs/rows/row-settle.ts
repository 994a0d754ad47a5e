import { sql } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import type { Tx } from '../../db/database.ts'
import type { RowJob, RowSettlement } from './row.ts'

/**
 * A row as an attempt may change it: the claim still holds, and no later attempt has begun. Nor has somebody had the job done
 * again meanwhile, which begins its attempts anew, with another horizon: the same worker may have claimed that.
 */
export function claimedRow(tx: Tx, workerId: string, { id, attempts, horizon }: RowJob) {
  return tx
    .updateTable('job')
    .where('id', '=', id)
    .where('claim_id', '=', workerId)
    .where('attempts', '=', attempts)
    .where('horizon_at', '=', horizon)
}

/** Records what came of an attempt. @returns how the job stands now; undefined where the claim does not hold any more */
export async function settleRow(
  tx: Tx,
  workerId: string,
  { job, status, reason, result, dueAt }: RowSettlement,
  now: Millis,
): Promise<RowSettlement['status'] | undefined> {
  const row = await claimedRow(tx, workerId, job)
    .set({ reason, result: result === null ? null : JSON.stringify(result) })
    .set(
      status === 'pending' || status === 'cancelled'
        ? {
            // Who asked for its end meanwhile gets it before another attempt. Who asked before somebody had it done again, and is
            // heard only now, does not.
            status: sql`case when cancel_at is null then 'pending' else 'cancelled' end`,
            due_at: sql`case when cancel_at is null then ${sql.lit(dueAt ?? now)} end`,
          }
        : { status, due_at: null },
    )
    .set({ attempts: job.attempts + 1, begun: 0, claim_id: null, updated_at: now })
    .returning('status')
    .executeTakeFirst()
  return row?.status
}
