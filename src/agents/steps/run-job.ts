import { DAY, type Millis } from '../../core/clock.ts'
import type { Tx } from '../../db/database.ts'
import type { Jobs } from '../../jobs/create-jobs.ts'
import type { Run } from '../transcript/rows.ts'

export const RUN_JOB = 'run'

/** Runs of an organization that a process steps at once. */
const MOST_AT_ONCE = 4

/** Long past every deadline of a run: it is the run's own time that ends it. */
const HORIZON: Millis = 30 * DAY

/** Has a run done, in the transaction of what makes it due: organizations take turns, and the runs of each. */
export function enqueueRun(
  tx: Tx,
  jobs: Pick<Jobs, 'add'>,
  { id, organization_id: organizationId }: Pick<Run, 'id' | 'organization_id'>,
  now: Millis,
): Promise<NonNullable<Run['job_id']>> {
  const lane = { organizationId, laneId: organizationId, cap: MOST_AT_ONCE }
  const job = { kind: RUN_JOB, ...lane, payload: { runId: id }, dueAt: now, horizon: now + HORIZON }
  return jobs.add(tx, job, now)
}
