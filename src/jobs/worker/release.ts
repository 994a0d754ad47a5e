import { createBatcher } from '../../core/batcher.ts'
import type { Job } from '../job.ts'
import type { JobStore } from '../job-store.ts'
import type { ClaimedJobs } from './claimed-jobs.ts'

/** Gives claimed jobs that have not begun back to the table. @returns resolves after the commit, when this worker holds them no more */
export type Release<J extends Job> = (jobs: J[], claimer: string) => Promise<void>

/** Releases that arrive during a commit share the next one, because a paused lane gives back many jobs. */
export function createRelease<J extends Job>(
  store: Pick<JobStore<J>, 'release'>,
  claimedJobs: Pick<ClaimedJobs<J>, 'leave'>,
): Release<J> {
  const batcher = createBatcher<{ jobs: J[]; claimer: string }>(async (take) => {
    for (const [claimer, own] of Map.groupBy(take(), (one) => one.claimer))
      await store.release(
        claimer,
        own.flatMap(({ jobs }) => jobs),
      )
    return undefined
  })
  return async (jobs, claimer) => {
    try {
      if (jobs.length > 0) await batcher.add({ jobs, claimer })
    } finally {
      // After an error the next polls find them as stray claims.
      for (const job of jobs) claimedJobs.leave(job)
    }
  }
}
