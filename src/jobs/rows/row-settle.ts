import { type RawBuilder, sql } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import { afterCommit, type Tx } from '../../db/database.ts'
import { type Columns, namesOf, preparedForList } from '../../db/engine/lists.ts'
import { hasOneWriter } from '../../db/locking.ts'
import { type Guard, isClaimedAs } from '../queue/claim-guard.ts'
import type { RowAttempt, RowJob, RowSettlement } from './row.ts'

/** How many attempts of a job count as begun. */
interface Begun extends Guard {
  id: RowJob['id']
  begun_now: number
}

const BEGUN: Columns<Begun> = {
  id: 'text',
  claim_id: 'text',
  attempts_before: 'integer',
  begun_now: 'integer',
}

const writeBegun = (condition: RawBuilder<unknown>) =>
  preparedForList<Begun, Pick<Begun, 'id'>>(BEGUN, (db, list) =>
    sql<Pick<Begun, 'id'>>`
      with started (${namesOf(BEGUN)}) as (${list})
      update job set begun = started.begun_now from started
      where ${isClaimedAs({ table: 'job' }, 'started')} ${condition}
      returning job.id as id`.compile(db),
  )

/** Notes that attempts begin. @returns those whose claim holds and whose job was not cancelled */
export const beginRows = writeBegun(sql`and job.cancel_at is null`)

/** Changes how many attempts count as begun, for attempts under way whose claim holds. */
export const advanceRows = writeBegun(sql``)

/** The new state of a job. */
interface Settled extends Guard {
  id: RowJob['id']
  status: RowSettlement['status']
  reason: string | null
  due_at: Millis | null
  updated_at: Millis
}

const COLUMNS: Columns<Settled> = {
  ...{ id: 'text', claim_id: 'text', attempts_before: 'integer' },
  ...{ status: 'text', reason: 'text', due_at: 'integer', updated_at: 'integer' },
}

const isOpen = sql`settled.status in ('pending', 'cancelled')`

type Answer = Pick<Settled, 'id' | 'status'>

/** Settles many jobs in one statement. @param skipsLocked whether it leaves rows that another transaction has locked */
const settleBy = (skipsLocked: boolean) =>
  preparedForList<Settled, Answer>(COLUMNS, (db, list) => {
    const isSkipping = skipsLocked && !hasOneWriter(db)
    const unlocked = sql`, unlocked as (
      select job.id from job where job.id in (select settled.id from settled) for no key update skip locked)`
    return sql<Answer>`
      with settled (${namesOf(COLUMNS)}) as (${list})${isSkipping ? unlocked : sql``}
      update job set
        -- A cancellation takes effect before another attempt.
        status = case when not (${isOpen}) then settled.status when job.cancel_at is null then 'pending' else 'cancelled' end,
        due_at = case when ${isOpen} and job.cancel_at is null then settled.due_at end,
        reason = settled.reason, attempts = settled.attempts_before + 1, begun = 0,
        claim_id = null, updated_at = settled.updated_at
      from settled
      where ${isClaimedAs({ table: 'job' }, 'settled')} ${isSkipping ? sql`and job.id in (select unlocked.id from unlocked)` : sql``}
      returning job.id as id, job.status as status`.compile(db)
  })

const [settleAll, settleUnlocked] = [settleBy(false), settleBy(true)]

/**
 * Records the results of attempts.
 * @param skipsLocked whether it leaves jobs that another transaction has locked
 * @returns the new status of each settled job: its claim still held
 */
export async function settleRows(
  tx: Tx,
  workerId: string,
  settlements: RowSettlement[],
  now: Millis,
  skipsLocked = false,
): Promise<Map<RowJob['id'], RowSettlement['status']>> {
  const rows = await (skipsLocked ? settleUnlocked : settleAll)(
    tx,
    settlements.map(({ job, status, reason, dueAt }) => ({
      ...{ id: job.id, claim_id: workerId, attempts_before: job.attempts },
      ...{ status, reason, due_at: dueAt ?? now, updated_at: now },
    })),
  )
  return new Map(rows.map(({ id, status }) => [id, status]))
}

/**
 * Settles attempts as done in the transaction that writes their results. Those whose row another transaction has locked are settled
 * after their work, as are all others; the caller, which has locked later rows, waits for no job.
 * @param onEnded called after the commit for each settled job
 */
export async function settleDone(
  tx: Tx,
  attempts: RowAttempt[],
  now: Millis,
  onEnded: (id: RowJob['id']) => void,
): Promise<void> {
  for (const [claimer, own] of Map.groupBy(attempts, (attempt) => attempt.claimer)) {
    const done = { status: 'done', reason: null, result: null, dueAt: null } as const
    const settlements = own.map(({ job }) => ({ job, ...done }))
    const settled = await settleRows(tx, claimer, settlements, now, true)
    afterCommit(tx, () => {
      for (const attempt of own.filter(({ job }) => settled.has(job.id))) {
        attempt.isSettled = true
        onEnded(attempt.job.id)
      }
    })
  }
}
