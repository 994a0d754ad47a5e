import { DAY, type Millis } from '../../core/clock.ts'
import type { Tx } from '../../db/database.ts'
import type { Jobs } from '../../jobs/create-jobs.ts'
import type { Run } from '../transcript/rows.ts'

export const RUN_JOB = 'run'

/** Long past every deadline of a run: it is the run's own time that ends it. */
const HORIZON: Millis = 30 * DAY

/** Has a run done, in the transaction of what makes it due: organizations take turns, and each has its share of the places. */
export function enqueueRun(
  tx: Tx,
  jobs: Pick<Jobs, 'add'>,
  { id, organization_id: organizationId }: Pick<Run, 'id' | 'organization_id'>,
  now: Millis,
): Promise<NonNullable<Run['job_id']>> {
  const lane = { organizationId, laneId: organizationId }
  const job = { kind: RUN_JOB, ...lane, payload: { runId: id }, dueAt: now, horizon: now + HORIZON }
  return jobs.add(tx, job, now)
}
