import { DAY, type Millis } from '../../core/clock.ts'
import type { Tx } from '../../db/database.ts'
import type { Jobs } from '../../jobs/create-jobs.ts'
import type { Run } from '../transcript/rows.ts'

export const RUN_JOB = 'run'

/** Longer than every deadline of a run: the run ends by its own deadline. */
const HORIZON: Millis = 30 * DAY

/**
 * Adds the job of a run, in the transaction that makes the run due. Organizations take turns, and each has its share of
 * the places.
 * @returns the id of the job
 */
export function enqueueRun(
  tx: Tx,
  jobs: Pick<Jobs, 'add'>,
  run: Pick<Run, 'id' | 'organization_id'>,
  now: Millis,
): Promise<NonNullable<Run['job_id']>> {
  return jobs.add(tx, toJob(run, now), now)
}

/** As `enqueueRun`, for several runs, by one statement. @returns the ids of the jobs in the given order */
export function enqueueRuns(
  tx: Tx,
  jobs: Pick<Jobs, 'addAll'>,
  runs: Pick<Run, 'id' | 'organization_id'>[],
  now: Millis,
): Promise<NonNullable<Run['job_id']>[]> {
  return jobs.addAll(
    tx,
    runs.map((run) => toJob(run, now)),
    now,
  )
}

function toJob({ id, organization_id: organizationId }: Pick<Run, 'id' | 'organization_id'>, now: Millis) {
  const lane = { organizationId, laneId: organizationId }
  return { kind: RUN_JOB, ...lane, payload: { runId: id }, dueAt: now, horizon: now + HORIZON }
}

/**
 * Cancels the jobs of runs that the caller ends, so that the process that steps such a run breaks off its step after the commit. The
 * caller locks conversations and runs later, because every transaction locks jobs first.
 */
export async function cancelRunJobs(
  tx: Tx,
  jobs: Pick<Jobs, 'cancel'>,
  runs: Pick<Run, 'organization_id' | 'job_id'>[],
  now: Millis,
): Promise<void> {
  const held = runs.flatMap(({ organization_id, job_id }) =>
    job_id === null ? [] : [{ organization_id, job_id }],
  )
  for (const { organization_id, job_id } of held.sort((a, b) => (a.job_id < b.job_id ? -1 : 1)))
    await jobs.cancel(tx, organization_id, job_id, now)
}
