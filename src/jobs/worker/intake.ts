import { createBoundedMap } from '../../core/bounded-map.ts'
import type { Clock, Millis } from '../../core/clock.ts'
import type { Job, Owned } from '../job.ts'
import type { Lanes } from '../lanes/lanes.ts'
import type { Lease } from '../lease/lease.ts'
import type { Ownership } from '../ownership/ownership.ts'
import type { Claims } from './claims.ts'
import type { JobWorker, WorkerDeps } from './worker.ts'

interface IntakeDeps<J extends Job> {
  clock: Clock
  lease: Pick<Lease, 'name' | 'duration' | 'isGood'>
  lanes: Pick<Lanes<J>, 'hasRoom' | 'tryNow'>
  claims: Pick<Claims<J>, 'isBehind' | 'wake' | 'arrived' | 'claimUrgent'>
  ownership: Pick<Ownership, 'isOwner' | 'partOf'>
  /** Whether the worker has started and is not about to stop. */
  isRunning: () => boolean
  /** Whether a poll has read the whole table once. */
  hasSeenAll: () => boolean
  /** Whether the order of a lane's jobs is the table's. */
  isOrdered: (lane: Pick<J, 'cap'>) => boolean
  /** Takes a claimed job in hand. */
  take: (job: J) => void
  /** Gives back jobs that a lane may not hold in memory. */
  giveBackExcess: (laneId: J['laneId']) => void
  /** Begins attempts while jobs may begin. */
  pump: () => void
  notifyOwner: NonNullable<WorkerDeps['notifyOwner']>
}

/** Takes new jobs, and requests of people for an attempt. */
interface Intake<J extends Job> extends Pick<JobWorker<J>, 'claimFor' | 'accept' | 'tryNow'> {
  /** Follows earlier requests for lanes that this worker owns now. */
  tryExpected(): void
}

/** A person's request for an attempt. */
interface Expected<J extends Job> {
  first: J['id'] | undefined
  at: Millis
}

/** Requests that are remembered, because a lane may change its owner before the attempt. */
const MOST_EXPECTED = 1_000

export function createIntake<J extends Job>(deps: IntakeDeps<J>): Intake<J> {
  const { clock, lease, lanes, claims, ownership, isRunning, take, giveBackExcess, pump, notifyOwner } = deps
  const expected = createBoundedMap<J['laneId'], Expected<J>>(MOST_EXPECTED)

  // A new job waits behind the jobs of its lane in the table. Before the first poll it is unknown whether there are any.
  const mayHold = (lane: Owned<J> & Pick<J, 'cap' | 'perSecond'>) =>
    !deps.isOrdered(lane) &&
    deps.hasSeenAll() &&
    ownership.partOf(lane) > 0 &&
    !claims.isBehind(lane) &&
    lanes.hasRoom(lane) &&
    isRunning() &&
    lease.isGood()

  function tryOwn(laneId: J['laneId'], first: J['id'] | undefined): void {
    lanes.tryNow(laneId, first, clock.now())
    if (first !== undefined) claims.claimUrgent(laneId, first)
    claims.wake([laneId])
    pump()
  }

  return {
    claimFor: (lane) => (mayHold(lane) ? lease.name : undefined),
    accept(fresh, unclaimed) {
      // Claims of an earlier name, or of a stopped worker, are freed by the next poll.
      if (isRunning()) for (const { job, claimer } of fresh) if (claimer === lease.name) take(job)
      for (const laneId of unclaimed)
        if (ownership.isOwner(laneId)) claims.arrived([laneId])
        else notifyOwner(laneId)
      for (const { job } of fresh) giveBackExcess(job.laneId)
      pump()
    },
    tryNow(laneId, first) {
      // The owner may be dead or stopping. All workers get the request, so the next owner has it.
      expected.set(laneId, { first, at: clock.now() })
      if (ownership.isOwner(laneId)) tryOwn(laneId, first)
    },
    tryExpected() {
      const now = clock.now()
      // A request noted by a clock that was ahead is forgotten, too.
      for (const [laneId, { first, at }] of expected.entries())
        if (now < at || now - at > 2 * lease.duration) expected.delete(laneId)
        else if (ownership.isOwner(laneId)) tryOwn(laneId, first)
    },
  }
}
