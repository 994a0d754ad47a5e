import type { Millis } from '../../core/clock.ts'
import { type Id, newId } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { preparedListInsert } from '../../db/engine/lists.ts'
import { literal } from '../../db/literal.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { type Job, NO_ORGANIZATION, type Settlement } from '../job.ts'

type Row = Tables['job']

/** A claimed row of the job table. */
export interface RowJob extends Job {
  id: Id<'job'>
  /** The input of the job, as it was added. */
  payload: unknown
  /** Attempts that had begun before this claim and have no outcome, because their processes died. */
  begun: number
}

/** What an attempt changes about a row. */
export interface RowSettlement extends Settlement<RowJob> {
  status: Row['status']
  reason: string | null
  /** The result of the attempt, for `onSettled`, which is not stored in the row; null without one. */
  result: unknown
}

/** An attempt under way. */
export interface RowAttempt {
  job: RowJob
  /** The worker that has claimed the job. */
  claimer: string
  /** Whether a transaction of its work has settled it (`Jobs.settleDone`). */
  isSettled: boolean
}

/** A job to add. */
export interface NewJob {
  kind: string
  /** `NO_ORGANIZATION` where it has none. */
  organizationId: Id<'organization'>
  /** Jobs of a lane begin in their order, up to `cap` at once. */
  laneId: string
  cap: number
  payload: unknown
  dueAt: Millis
  /** The last moment at which an attempt may start. */
  horizon: Millis
  /** The worker by which it is claimed at once; unless given, it waits in the table. */
  claimer?: string | undefined
}

const insertJobs = preparedListInsert('job', {
  ...{ id: 'text', kind: 'text', organization_id: 'text', lane_id: 'text', cap: 'integer', payload: 'text' },
  ...{ status: 'text', reason: 'text', attempts: 'integer', begun: 'integer' },
  ...{ due_at: 'integer', horizon_at: 'integer', claim_id: 'text', cancel_at: 'integer' },
  ...{ created_at: 'integer', updated_at: 'integer' },
})

/** As `addJobs`, for one job. */
export async function addJob(tx: Tx, job: NewJob, now: Millis): Promise<RowJob> {
  const [added] = await addJobs(tx, [job], now)
  return added as RowJob
}

/**
 * Writes jobs in the caller's transaction. `Jobs.add` also notifies a worker after the commit.
 * @returns them in the given order
 */
export async function addJobs(tx: Tx, jobs: NewJob[], now: Millis): Promise<RowJob[]> {
  const rows = jobs.map(
    (job): Row => ({
      id: newId('job', now),
      kind: job.kind,
      organization_id: job.organizationId === NO_ORGANIZATION ? null : job.organizationId,
      lane_id: job.laneId,
      cap: job.cap,
      payload: JSON.stringify(job.payload),
      status: 'pending',
      reason: null,
      attempts: 0,
      begun: 0,
      due_at: job.dueAt,
      horizon_at: job.horizon,
      claim_id: job.claimer ?? null,
      cancel_at: null,
      created_at: now,
      updated_at: now,
    }),
  )
  await insertJobs(tx, rows)
  return rows.map(toJob)
}

/**
 * Cancels a job of an organization. An unclaimed job is cancelled at once. The attempt of a claimed job is aborted, and the job is
 * cancelled unless the attempt ends first.
 * @returns the status now; undefined when there is no such job
 */
export async function cancelJob(
  tx: Tx,
  organizationId: Id<'organization'>,
  id: Id<'job'>,
  now: Millis,
): Promise<Row['status'] | undefined> {
  await cancelPending(pendingOf(tx, organizationId).where('id', '=', id), now)
  const row = await tx
    .selectFrom('job')
    .select('status')
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  return row?.status
}

/**
 * Cancels all jobs of an organization that have not ended; attempts under way are aborted with the next poll.
 * @param spared kinds whose jobs are kept
 */
export async function endJobs(
  tx: Tx,
  organizationId: Id<'organization'>,
  now: Millis,
  spared: string[] = [],
): Promise<void> {
  const pending = pendingOf(tx, organizationId)
  await cancelPending(
    pending.$if(spared.length > 0, (query) => query.where('kind', 'not in', spared)),
    now,
  )
}

function pendingOf(tx: Tx, organizationId: Id<'organization'>) {
  return tx
    .updateTable('job')
    .where('organization_id', '=', organizationId)
    .where('status', '=', literal('pending'))
}

/** Cancels unclaimed jobs, and marks claimed ones, so that their attempts are aborted. */
async function cancelPending(pending: ReturnType<typeof pendingOf>, now: Millis): Promise<void> {
  await pending
    .set({ status: 'cancelled', due_at: null, cancel_at: now, updated_at: now })
    .where('claim_id', 'is', null)
    .execute()
  await pending.set({ cancel_at: now }).where('cancel_at', 'is', null).execute()
}

/** Compares jobs by when they became due. */
export function byDue(a: RowJob, b: RowJob): number {
  return a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1)
}

/** Converts a row into a job of the engine. */
export function toJob(row: Row): RowJob {
  return {
    id: row.id,
    laneId: row.lane_id,
    organizationId: row.organization_id ?? NO_ORGANIZATION,
    attempts: row.attempts,
    dueAt: row.due_at ?? row.created_at,
    horizon: row.horizon_at,
    cap: row.cap,
    perSecond: null,
    bytes: row.payload.length,
    body: undefined,
    payload: JSON.parse(row.payload),
    begun: row.begun,
  }
}
