import type { Clock } from '../../core/clock.ts'
import type { Job, Settlement } from '../job.ts'
import type { Lanes } from '../lanes/lanes.ts'
import type { Lease } from '../lease/lease.ts'
import type { ClaimedJobs } from './claimed-jobs.ts'
import type { Claims } from './claims.ts'
import type { Release } from './release.ts'
import type { Settling } from './settling.ts'
import type { Attempt, JobKind, Log } from './worker.ts'

/** Makes attempts, from the lane to the result in the table. */
interface Attempts<J extends Job> {
  /** Attempts a job that `Lanes.next` has returned, under the worker that claimed it. */
  make(job: J): Promise<void>
  /** Calls `onFree`, the only listener, when a job was given back and its place is free. */
  listen(onFree: () => void): void
}

interface AttemptsDeps<J extends Job, S extends Settlement<J>> {
  clock: Clock
  kind: Pick<JobKind<J, S>, 'name' | 'prepare'>
  lease: Pick<Lease, 'name'>
  lanes: Pick<Lanes<J>, 'stall' | 'done' | 'takeAll'>
  claimedJobs: Pick<ClaimedJobs<J>, 'begin' | 'stall'>
  settling: Pick<Settling<S>, 'settle'>
  release: Release<J>
  mayWork: () => boolean
  claims: Pick<Claims<J>, 'hold'>
  log: Log
}

export function createAttempts<J extends Job, S extends Settlement<J>>(
  deps: AttemptsDeps<J, S>,
): Attempts<J> {
  const { clock, kind, lease, lanes, claimedJobs, settling, release, mayWork, claims, log } = deps
  let onFree = () => {}
  function prepare(job: J, claimer: string): Promise<Attempt<S> | undefined | 'unknown'> {
    return kind.prepare(job, claimer).catch((error: unknown) => {
      log.error({ err: error }, kind.name)
      return 'unknown' as const
    })
  }

  return {
    async make(job) {
      const claimer = lease.name
      claimedJobs.begin(job)
      const attempt = await prepare(job, claimer)
      const isOurs = claimer === lease.name && mayWork()
      if (attempt === 'unknown' && isOurs) {
        claimedJobs.stall(job)
        return lanes.stall(job, clock.now())
      }
      // The attempt may not be made any more, or the lease has expired and another worker may have the job.
      if (attempt === undefined || attempt === 'unknown' || !isOurs) {
        // The jobs behind it go back too, so that no later job of the lane overtakes it.
        return claims.hold(job.laneId, release([job, ...lanes.takeAll(job.laneId)], claimer)).finally(() => {
          lanes.done(job, { isReachable: undefined, isPending: true }, clock.now())
          onFree()
        })
      }
      const result = await attempt()
      // A job that waits to be settled needs no body.
      job.body = undefined
      await settling.settle({ ...result, workerId: claimer })
    },
    listen(listener) {
      onFree = listener
    },
  }
}
