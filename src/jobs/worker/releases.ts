import type { Job } from '../job.ts'
import type { JobStore } from '../job-store.ts'

/** Gives claims back to the table. @returns resolves when it is done */
export type Release<J extends Job> = (jobs: J[], claimer: string) => Promise<void>

interface Batch<J extends Job> {
  jobs: { job: J; claimer: string }[]
  written: PromiseWithResolvers<void>
}

/** Those that come while a commit is under way share the next one: a lane that is paused gives back many at once. */
export function createRelease<J extends Job>(store: Pick<JobStore<J>, 'release'>): Release<J> {
  let gathering: Batch<J> | undefined
  let isWriting = false

  function begin(): void {
    if (gathering === undefined || isWriting) return
    const { jobs, written } = gathering
    gathering = undefined
    isWriting = true
    write(jobs)
      .then(written.resolve, written.reject)
      .finally(() => {
        isWriting = false
        begin()
      })
  }

  async function write(jobs: Batch<J>['jobs']): Promise<void> {
    for (const [claimer, own] of Map.groupBy(jobs, (one) => one.claimer))
      await store.release(
        claimer,
        own.map(({ job }) => job),
      )
  }

  return (jobs, claimer) => {
    if (jobs.length === 0) return Promise.resolve()
    gathering ??= { jobs: [], written: Promise.withResolvers() }
    gathering.jobs.push(...jobs.map((job) => ({ job, claimer })))
    const { promise } = gathering.written
    begin()
    return promise
  }
}
