import { sql } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { preparedForRows } from '../../db/engine/prepared.ts'
import { insertAttempts, toAttemptRow } from '../attempt/attempt-row.ts'
import type { DeliveryJob, DeliverySettlement } from './job.ts'

/** One statement settles many: on PostgreSQL each would be a journey of its own. */
const updateSettled = preparedForRows<{ id: Id<'delivery'> }>((db, size) => {
  const row = sql`(cast(${0} as text), cast(${0} as text), cast(${0} as bigint), cast(${0} as text), cast(${0} as text),
    cast(${0} as bigint), cast(${0} as bigint), cast(${0} as bigint), cast(${0} as bigint))`
  return sql<{ id: Id<'delivery'> }>`
    with settled (id, claim_id, attempts_before, status, reason, attempts, due_at, horizon_at, updated_at)
      as (values ${sql.join(Array.from({ length: size }, () => row))})
    update delivery set
      status = settled.status, reason = settled.reason, attempts = settled.attempts, due_at = settled.due_at,
      horizon_at = coalesce(settled.horizon_at, delivery.horizon_at), claim_id = null, updated_at = settled.updated_at
    from settled
    where delivery.id = settled.id
      -- Whoever lost the claim must not write over what its successor does.
      and delivery.claim_id = settled.claim_id
      -- Nor may a result that is written again, because the answer to its first writing was lost.
      and delivery.attempts = settled.attempts_before
    returning delivery.id as id`.compile(db)
})

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
    settlements.map((one) => [
      one.job.id,
      workerId,
      one.job.attempts,
      one.status,
      one.reason,
      attemptsAfter(one),
      one.dueAt,
      one.horizon,
      now,
    ]),
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
