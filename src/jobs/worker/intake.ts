import { createBoundedMap } from '../../core/bounded-map.ts'
import type { Clock, Millis } from '../../core/clock.ts'
import type { Job, Owned } from '../job.ts'
import type { Ownership } from '../ownership/ownership.ts'
import type { Lanes } from '../turns/lanes.ts'
import type { Claims } from './claims.ts'
import type { Lease, Standing } from './lease.ts'
import type { JobWorker, WorkerDeps } from './worker.ts'

interface IntakeDeps<J extends Job> {
  clock: Clock
  lease: Pick<Lease, 'name' | 'duration'>
  lanes: Pick<Lanes<J>, 'hasRoom' | 'tryNow'>
  claims: Pick<Claims<J>, 'isBehind' | 'nudge' | 'arrived' | 'first'>
  ownership: Pick<Ownership, 'isOwner' | 'partOf'>
  standing: Pick<Standing, 'isRunning' | 'isGood'>
  /** Whether everything that waits in the table has been seen once. */
  hasSeenAll: () => boolean
  /** Whether the order of a lane's jobs is the table's. */
  isOrdered: (lane: Pick<J, 'cap'>) => boolean
  /** Takes a claimed job in hand. */
  take: (job: J) => void
  /** Gives back what a lane may not hold in memory. */
  shed: (laneId: J['laneId']) => void
  /** Starts what may start. */
  pump: () => void
  tellOwner: NonNullable<WorkerDeps['tellOwner']>
}

/** What is brought to a worker: jobs that were made, and that a person expects one. */
export interface Intake<J extends Job> extends Pick<JobWorker<J>, 'claimFor' | 'accept' | 'tryNow'> {
  /** Tries what was asked for of lanes that have become this worker's since. */
  tryAsked(): void
}

/** That a person expects an attempt of a lane. */
interface Asked<J extends Job> {
  first: J['id'] | undefined
  at: Millis
}

/** Lanes of which it is remembered that somebody expects an attempt: they may change their owner before it is made. */
const MOST_ASKED = 1_000

export function createIntake<J extends Job>(deps: IntakeDeps<J>): Intake<J> {
  const { clock, lease, lanes, claims, ownership, standing, take, shed, pump, tellOwner } = deps
  const asked = createBoundedMap<J['laneId'], Asked<J>>(MOST_ASKED)

  // Where jobs of a lane wait in the table already, a new one takes its turn behind them. Before the first poll nobody
  // knows whether any do.
  const mayHold = (lane: Owned<J> & Pick<J, 'cap' | 'perSecond'>) =>
    !deps.isOrdered(lane) &&
    deps.hasSeenAll() &&
    ownership.partOf(lane) > 0 &&
    !claims.isBehind(lane) &&
    lanes.hasRoom(lane) &&
    standing.isGood()

  function tryOwn(laneId: J['laneId'], first: J['id'] | undefined): void {
    lanes.tryNow(laneId, first, clock.now())
    if (first !== undefined) claims.first(laneId, first)
    claims.nudge([laneId])
    pump()
  }

  return {
    claimFor: (lane) => (mayHold(lane) ? lease.name : undefined),
    accept(fresh, unclaimed) {
      // What was claimed under an earlier name, or for a worker that has ended, is freed by the next poll.
      if (standing.isRunning) for (const { job, claimer } of fresh) if (claimer === lease.name) take(job)
      for (const laneId of unclaimed)
        if (ownership.isOwner(laneId)) claims.arrived([laneId])
        else tellOwner(laneId)
      for (const { job } of fresh) shed(job.laneId)
      pump()
    },
    tryNow(laneId, first) {
      // Its owner may be about to end, or dead: all have been asked, and the next owner is one of them.
      asked.set(laneId, { first, at: clock.now() })
      if (ownership.isOwner(laneId)) tryOwn(laneId, first)
    },
    tryAsked() {
      const now = clock.now()
      // What a clock that was ahead has noted is forgotten, too.
      for (const [laneId, { first, at }] of asked.entries())
        if (now < at || now - at > 2 * lease.duration) asked.delete(laneId)
        else if (ownership.isOwner(laneId)) tryOwn(laneId, first)
    },
  }
}
