import { createBoundedMap } from '../../core/bounded-map.ts'
import type { Clock, Millis } from '../../core/clock.ts'
import type { Job, Owned } from '../job.ts'
import type { Shards } from '../shards/shards.ts'
import type { Lanes } from '../turns/lanes.ts'
import type { Claims } from './claims.ts'
import type { Lease } from './lease.ts'
import type { Release } from './settling.ts'
import type { Standing } from './standing.ts'
import type { JobWorker, WorkerDeps } from './worker.ts'

interface IntakeDeps<J extends Job> {
  clock: Clock
  lease: Pick<Lease, 'name' | 'duration'>
  lanes: Pick<Lanes<J>, 'hasRoom' | 'tryNow'>
  claims: Pick<Claims<J>, 'isBehind' | 'nudge' | 'arrived' | 'first'>
  shards: Pick<Shards, 'owns' | 'isSeen'>
  standing: Pick<Standing, 'isRunning' | 'isGood'>
  release: Release<J>
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
  track: (work: Promise<void>) => void
}

/** What is brought to a worker: jobs that were made, and that a person expects one. */
export interface Intake<J extends Job> extends Pick<JobWorker<J>, 'claimFor' | 'accept' | 'tryNow'> {
  /** An attempt was made: it is not expected any more. */
  made(job: J): void
  /** Tries what was asked for while the lane was nobody's, or another's, and is this process's by now. */
  tryAsked(): void
  /** Tells whoever is the next owner of some lanes what was asked for. */
  passOn(isGiven: (laneId: string) => boolean): void
}

/** That a person expects an attempt of a lane. */
interface Asked<J extends Job> {
  first: J['id'] | undefined
  at: Millis
  /** Whether this process, as the owner, has done so. */
  isTried: boolean
}

/** Lanes of which it is remembered that somebody expects an attempt: they may change their owner before it is made. */
const MOST_ASKED = 1_000

export function createIntake<J extends Job>(deps: IntakeDeps<J>): Intake<J> {
  const { clock, lease, lanes, claims, shards, standing, release, take, shed, pump, tellOwner, track } = deps
  const asked = createBoundedMap<J['laneId'], Asked<J>>(MOST_ASKED)

  /** What was born under this process's claim: in hand where the lane is still its own, and the owner's otherwise. */
  function welcome(job: J): void {
    if (shards.owns(job.laneId)) take(job)
    else track(release([job], lease.name).then(() => tellOwner(job.laneId)))
  }

  // Where jobs of a lane wait in the table already, a new one takes its turn behind them. Before the first poll nobody
  // knows whether any do.
  const mayHold = (lane: Owned<J> & Pick<J, 'cap'>) =>
    !deps.isOrdered(lane) &&
    deps.hasSeenAll() &&
    shards.owns(lane.laneId) &&
    shards.isSeen(lane.laneId) &&
    !claims.isBehind(lane.laneId) &&
    lanes.hasRoom(lane) &&
    standing.isGood()

  function tryOwn(laneId: J['laneId'], one: Asked<J>): void {
    one.isTried = true
    lanes.tryNow(laneId, one.first, clock.now())
    if (one.first !== undefined) claims.first(laneId, one.first)
    claims.nudge([laneId])
    pump()
  }

  function forgetOld(): void {
    const now = clock.now()
    for (const [laneId, { at }] of asked.entries()) if (now - at > 2 * lease.duration) asked.delete(laneId)
  }

  return {
    claimFor: (lane) => (mayHold(lane) ? lease.name : undefined),
    accept(fresh, unclaimed) {
      // What was claimed under an earlier name, or for a worker that has ended, is freed by whoever polls.
      if (standing.isRunning) for (const { job, claimer } of fresh) if (claimer === lease.name) welcome(job)
      for (const laneId of unclaimed)
        if (shards.owns(laneId)) claims.arrived([laneId])
        else tellOwner(laneId)
      for (const { job } of fresh) shed(job.laneId)
      pump()
    },
    tryNow(laneId, first) {
      // Its owner may be about to end, or dead: whoever is the next one has been asked as well.
      const one = { first, at: clock.now(), isTried: false }
      asked.set(laneId, one)
      if (shards.owns(laneId)) tryOwn(laneId, one)
    },
    made({ id, laneId }) {
      const one = asked.get(laneId)
      if (one !== undefined && (one.first ?? id) === id) asked.delete(laneId)
    },
    tryAsked() {
      forgetOld()
      for (const [laneId, one] of asked.entries())
        if (!one.isTried && shards.owns(laneId)) tryOwn(laneId, one)
    },
    passOn(isGiven) {
      forgetOld()
      for (const [laneId, one] of asked.entries()) {
        if (!isGiven(laneId)) continue
        tellOwner(laneId, one)
        // It may come back.
        one.isTried = false
      }
    },
  }
}
