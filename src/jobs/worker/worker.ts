import type { Rest } from '../../core/batcher.ts'
import type { Clock, Millis } from '../../core/clock.ts'
import type { Rule } from '../../core/fair-limiter.ts'
import type { Job, Owned } from '../job.ts'
import type { Rules } from '../turns/breaker.ts'
import type { Places } from '../turns/places.ts'
import type { Limits } from '../turns/room.ts'
import type { Load } from '../turns/used-shares.ts'
import type { Pace } from './job-kind.ts'

export interface Log {
  info(data: object, message: string): void
  error(data: object, message: string): void
}

/** What a worker of any kind of job is made of. */
export interface WorkerDeps {
  clock: Clock
  log: Log
  /** Whether other processes may work on the same jobs, so that claims must be leased. */
  shared: boolean
  /**
   * Tells the worker that owns a lane that jobs of it wait in the table, due now or later.
   * @param asked what a person expects of it, where one does
   */
  tellOwner?: ((laneId: string, asked?: { first: string | undefined }) => void) | undefined
  /** Tells the other workers to agree anew about who has what part of each lane. */
  announce?: (() => void) | undefined
  /** Is told how many other workers have died. */
  onDied?: ((count: number) => void) | undefined
  pace?: Pace | undefined
  rules?: Rules | undefined
  /** The places for attempts, where others than the engine take some too. */
  places?: Places | undefined
  /** How much it may have in hand, and how that is shared; unless said otherwise as in `room.ts` and `shares.ts`. */
  limits?: Partial<Limits> | undefined
  share?: Rule | undefined
  /** Whether its lanes are organizations and no destinations (`turns/lanes.ts`). */
  isTrusted?: boolean | undefined
  newWorkerId?: (() => string) | undefined
  /** How results wait a moment for more to share their commit: the machine's time, unless said otherwise. */
  rest?: Rest | undefined
}

/** What the engine offers to whoever makes jobs. */
export interface Handover<J extends Job> {
  /**
   * The worker under whose claim a new job of a lane is born, so that this process begins it without asking the table;
   * undefined where it has no room and the job waits in the table.
   */
  claimFor(lane: Owned<J> & Pick<J, 'cap' | 'perSecond'>): string | undefined
  /** Takes over jobs that have been committed. */
  accept(fresh: { job: J; claimer: string }[], unclaimed: Iterable<J['laneId']>): void
}

/** The engine that does what the table of a kind of job holds. */
export interface JobWorker<J extends Job> extends Handover<J> {
  start(): Promise<void>
  /** Ends when the attempts under way have, and gives everything else back. */
  stop(): Promise<void>
  /** How late the oldest due job is. */
  lag(now: Millis): Millis
  /** Whether this worker claims what waits of a lane. */
  isOwner(laneId: J['laneId']): boolean
  /** What its places are used for now, and which organizations wait for more than their share of them. */
  load(): Load
  /** How many workers share the jobs, this one included. */
  workers(): number
  /** Other workers may have come, gone, or divided lanes anew. */
  agree(): void
  /** Jobs of a lane may wait in the table, due now or later; of another's it is not asked. */
  nudge(laneId: J['laneId']): void
  /** The same of new ones, all of which are due. */
  arrived(laneId: J['laneId']): void
  /** Something may wait that this process has had no notice of. */
  poll(): void
  /**
   * A person expects an attempt: a parked lane is tried at once; one of another owner, as soon as it is this worker's.
   * @param first goes before all others of its lane
   */
  tryNow(laneId: J['laneId'], first?: J['id']): void
}
