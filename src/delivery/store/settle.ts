import { sql } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { type Columns, namesOf, preparedForList } from '../../db/engine/lists.ts'
import { insertAttempts, toAttemptRow } from '../attempt/attempt-row.ts'
import type { DeliveryJob, DeliverySettlement } from './job.ts'

/** What is written of a delivery, and what it must still be. */
interface Settled {
  id: Id<'delivery'>
  claim_id: string
  attempts_before: number
  status: DeliverySettlement['status']
  reason: string | null
  attempts: number
  due_at: Millis | null
  /** Null where it stays as it is. */
  horizon_at: Millis | null
  updated_at: Millis
}

const COLUMNS: Columns<Settled> = {
  id: 'text',
  claim_id: 'text',
  attempts_before: 'integer',
  status: 'text',
  reason: 'text',
  attempts: 'integer',
  due_at: 'integer',
  horizon_at: 'integer',
  updated_at: 'integer',
}

/** One statement settles many: on PostgreSQL each would be a journey of its own. */
const updateSettled = preparedForList<Settled, Pick<Settled, 'id'>>(COLUMNS, (db, list) =>
  sql<Pick<Settled, 'id'>>`
    with settled (${namesOf(COLUMNS)}) as (${list})
    update delivery set
      status = settled.status, reason = settled.reason, attempts = settled.attempts, due_at = settled.due_at,
      horizon_at = coalesce(settled.horizon_at, delivery.horizon_at), claim_id = null, updated_at = settled.updated_at
    from settled
    where delivery.id = settled.id
      -- Whoever lost the claim must not write over what its successor does.
      and delivery.claim_id = settled.claim_id
      -- Nor may a result that is written again, because the answer to its first writing was lost.
      and delivery.attempts = settled.attempts_before
    returning delivery.id as id`.compile(db),
)

/**
 * Records attempts and what came of them, those whose claim still holds (architecture: the way of a delivery).
 * @param onGone is told, in this transaction, of a destination that is gone
 */
export async function settle(
  tx: Tx,
  workerId: string,
  settlements: DeliverySettlement[],
  now: Millis,
  onGone: (tx: Tx, job: DeliveryJob, now: Millis) => Promise<void>,
): Promise<void> {
  const settled = await updateSettled(
    tx,
    settlements.map((one) => ({
      id: one.job.id,
      claim_id: workerId,
      attempts_before: one.job.attempts,
      status: one.status,
      reason: one.reason,
      attempts: attemptsAfter(one),
      due_at: one.dueAt,
      horizon_at: one.horizon,
      updated_at: now,
    })),
  )
  const ids = new Set(settled.map(({ id }) => id))
  const made = settlements.filter(({ job, attempt }) => attempt !== null && ids.has(job.id))
  await insertAttempts(
    tx,
    made.flatMap(({ job, attempt }) =>
      attempt === null ? [] : [toAttemptRow(job.id, job.attempts + 1, attempt)],
    ),
  )
  for (const { job, disables } of made) if (disables) await onGone(tx, job, now)
}

function attemptsAfter({ job, attempt }: DeliverySettlement): number {
  return job.attempts + (attempt === null ? 0 : 1)
}
