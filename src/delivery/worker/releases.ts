import type { DeliveryStore, Job } from '../store/job.ts'

/** Gives claims back to the table. @returns resolves when it is done */
export type Returns = (jobs: Job[], claimer: string) => Promise<void>

interface Batch {
  jobs: { job: Job; claimer: string }[]
  written: PromiseWithResolvers<void>
}

/** Those that come while a commit is under way share the next one: a webhook that is paused gives back many at once. */
export function createReturns(store: Pick<DeliveryStore, 'release'>): Returns {
  let gathering: Batch | undefined
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

  async function write(jobs: Batch['jobs']): Promise<void> {
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
