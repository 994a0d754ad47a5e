import { sql } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { noteChanges, type Tx } from '../../db/database.ts'
import type { Access } from '../../db/engine/engine.ts'
import { type Columns, namesOf, preparedForList } from '../../db/engine/lists.ts'
import { hasOneWriter } from '../../db/locking.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { AttemptRecord } from '../../db/tables/webhooks.ts'
import { type Guard, isClaimedAs } from '../../jobs/queue/claim-guard.ts'
import { fitsRow, insertAttempts, RECORD_COLUMNS, toRecord } from '../attempt/attempt-row.ts'
import type { DeliveryJob, DeliverySettlement } from '../attempt/delivery-job.ts'
import {
  ADD_COUNTS,
  addCounts,
  COUNT_COLUMNS,
  countsOfEnded,
  minuteOf,
  partOf,
} from '../counts/delivery-counts.ts'

/** The new state of a delivery. */
interface Settled extends Guard, RecordInRow {
  id: Id<'delivery'>
  status: DeliverySettlement['status']
  reason: string | null
  attempts: number
  due_at: Millis | null
  /** Null where it stays as it is. */
  horizon_at: Millis | null
  updated_at: Millis
  /**
   * The row of `delivery_count` that counts it; null while it has not ended, and where a separate statement
   * counts it.
   */
  counted_at: Millis | null
  part: number | null
}

/** Columns of the final attempt's record; null where the record has its own row, or the delivery ended without an attempt. */
type RecordInRow = { [Name in keyof AttemptRecord]: AttemptRecord[Name] | null }

const NO_RECORD = Object.fromEntries(
  Object.keys(RECORD_COLUMNS).map((name) => [name, null]),
) as unknown as RecordInRow

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
  counted_at: 'integer',
  part: 'integer',
  ...RECORD_COLUMNS,
}

const setRecord = sql.join(
  Object.keys(RECORD_COLUMNS).map((name) => sql`${sql.ref(name)} = ${sql.ref(`settled.${name}`)}`),
)

/** Settles the deliveries of the list `settled` whose claim still holds. */
const UPDATE_SETTLED = sql`
    update delivery set
      status = settled.status, reason = settled.reason, attempts = settled.attempts, due_at = settled.due_at,
      horizon_at = coalesce(settled.horizon_at, delivery.horizon_at), claim_id = null, updated_at = settled.updated_at,
      ${setRecord}
    from settled
    where ${isClaimedAs({ table: 'delivery' }, 'settled')}
    returning delivery.id as id`

/** One statement settles many. */
const updateSettled = preparedForList<Settled, Pick<Settled, 'id'>>(COLUMNS, (db, list) =>
  sql<Pick<Settled, 'id'>>`with settled (${namesOf(COLUMNS)}) as (${list}) ${UPDATE_SETTLED}`.compile(db),
)

/** As `updateSettled`, and counts the deliveries that have ended: on PostgreSQL each further statement is a round trip. */
const updateAndCount = preparedForList<Settled, Pick<Settled, 'id'>>(COLUMNS, (db, list) =>
  sql<Pick<Settled, 'id'>>`
    with settled (${namesOf(COLUMNS)}) as (${list}),
    updated as (
      ${UPDATE_SETTLED}, delivery.organization_id, delivery.webhook_id, delivery.status, settled.counted_at, settled.part
    ),
    counted as (
      insert into delivery_count (${namesOf(COUNT_COLUMNS)})
      select organization_id, webhook_id, 1, counted_at, part, 0,
        count(*) filter (where status = 'delivered'), count(*) filter (where status = 'failed'), null::text
      from updated where part is not null group by organization_id, webhook_id, counted_at, part
      ${ADD_COUNTS}
    )
    select id from updated`.compile(db),
)

/** A settlement, and the record of its attempt: in the row of the delivery, or in a row of its own. */
interface Recorded {
  settlement: DeliverySettlement
  inRow?: AttemptRecord
  apart?: Tables['attempt']
}

function toRecorded(settlement: DeliverySettlement): Recorded {
  const { job, attempt, status } = settlement
  if (attempt === null) return { settlement }
  const record = toRecord(attempt)
  // Only the final record: each later update of a pending row would write the record once more.
  if (status !== 'pending' && fitsRow(record)) return { settlement, inRow: record }
  const { id: delivery_id, organizationId: organization_id, attempts } = job
  return { settlement, apart: { organization_id, delivery_id, number: attempts + 1, ...record } }
}

/**
 * Writes the results of attempts whose claim still holds (architecture: the way of a delivery).
 * @param onGone called in the transaction for a destination that answered 410
 * @returns the deliveries whose claim still held
 */
export async function settle(
  access: Access,
  workerId: string,
  settlements: DeliverySettlement[],
  now: Millis,
  onGone: (tx: Tx, job: DeliveryJob, now: Millis) => Promise<void>,
): Promise<Id<'delivery'>[]> {
  const recorded = settlements.map(toRecorded)
  const isPlain = recorded.every(({ settlement, apart }) => apart === undefined && !settlement.disables)
  if (isPlain) return idsOf(await access.brief((tx) => update(tx, workerId, recorded, now)))
  return access.tx(async (tx) => {
    const settled = await update(tx, workerId, recorded, now)
    await insertAttempts(
      tx,
      settled.flatMap(({ apart }) => apart ?? []),
    )
    for (const { settlement } of settled) if (settlement.disables) await onGone(tx, settlement.job, now)
    return idsOf(settled)
  })
}

const idsOf = (settled: Recorded[]) => settled.map(({ settlement: { job } }) => job.id)

/** What the attempt of a delivery took, in whole milliseconds; undefined where none was made. */
function durationOf({ inRow, apart }: Recorded): Millis | undefined {
  return (inRow ?? apart)?.duration_ms
}

/** Settles and counts deliveries. @returns the settlements whose claim still held */
async function update(tx: Tx, workerId: string, recorded: Recorded[], now: Millis): Promise<Recorded[]> {
  const isAtOnce = !hasOneWriter(tx)
  const write = isAtOnce ? updateAndCount : updateSettled
  const rows = await write(
    tx,
    recorded.map((one) => {
      const { job, attempt, status, reason, dueAt, horizon } = one.settlement
      const isCounted = isAtOnce && status !== 'pending'
      return {
        ...(one.inRow ?? NO_RECORD),
        id: job.id,
        claim_id: workerId,
        attempts_before: job.attempts,
        status,
        reason,
        attempts: job.attempts + (attempt === null ? 0 : 1),
        due_at: dueAt,
        horizon_at: horizon,
        updated_at: now,
        counted_at: isCounted ? minuteOf(job.id) : null,
        part: isCounted ? partOf(tx, durationOf(one)) : null,
      }
    }),
  )
  const ids = new Set(rows.map(({ id }) => id))
  const settled = recorded.filter(({ settlement }) => ids.has(settlement.job.id))
  if (!isAtOnce) await addCounts(tx, countsOfEnded(tx, endsOf(settled)))
  noteChanges(
    tx,
    'delivery',
    settled.map(({ settlement: { job } }) => ({ id: job.id, organization_id: job.organizationId })),
  )
  return settled
}

/** The ended deliveries, in the form in which `countsOfEnded` takes them. */
function endsOf(settled: Recorded[]): Parameters<typeof countsOfEnded>[1] {
  return settled.flatMap((one) => {
    const { job, status } = one.settlement
    if (status === 'pending') return []
    const owner = { organization_id: job.organizationId, webhook_id: job.laneId }
    return [{ id: job.id, ...owner, status, duration: durationOf(one) }]
  })
}
