import { createBatcher } from '../../core/batcher.ts'
import type { Job } from '../job.ts'
import type { JobStore } from '../job-store.ts'

/** Gives claimed jobs back to the table. @returns resolves after the commit */
export type Release<J extends Job> = (jobs: J[], claimer: string) => Promise<void>

/** Releases that arrive during a commit share the next one, because a paused lane gives back many jobs. */
export function createRelease<J extends Job>(store: Pick<JobStore<J>, 'release'>): Release<J> {
  const batcher = createBatcher<{ jobs: J[]; claimer: string }>(async (take) => {
    for (const [claimer, own] of Map.groupBy(take(), (one) => one.claimer))
      await store.release(
        claimer,
        own.flatMap(({ jobs }) => jobs),
      )
    return undefined
  })
  return (jobs, claimer) => (jobs.length === 0 ? Promise.resolve() : batcher.add({ jobs, claimer }))
}
