import { type Clock, type Millis, SECOND } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Rules } from '../../jobs/turns/breaker.ts'
import type { Places } from '../../jobs/turns/places.ts'
import type { Limits } from '../../jobs/turns/room.ts'
import type { Rule } from '../../jobs/turns/shares.ts'
import { DEADLINE, type Send } from '../attempt/send.ts'
import type { Handover } from '../publish/publish.ts'
import type { DeliveryStore } from '../store/job.ts'

/** How often things are done that nobody asks for. */
export interface Pace {
  /** A worker's claims are good this long after its last heartbeat: longer than an attempt that has a connection. */
  lease: Millis
  heartbeat: Millis
  /** What other processes put into the table, and what crashed ones left, is found this soon. */
  poll: Millis
}

export const PACE: Pace = { lease: DEADLINE + 10 * SECOND, heartbeat: 10 * SECOND, poll: 2 * SECOND }

interface Log {
  info(data: object, message: string): void
  error(data: object, message: string): void
}

export interface DeliveryWorkerDeps {
  clock: Clock
  store: DeliveryStore
  send: Send
  log: Log
  /** Whether other processes may work on the same deliveries, so that claims must be leased. */
  shared: boolean
  /** Is told of every attempt, and how long after its moment it began. */
  onAttempt: (outcome: string, durationMs: number, lateMs: Millis) => void
  /** Is told that others may have what was not begun when it was told to stop. */
  onGivenBack?: () => void
  pace?: Pace
  rules?: Rules | undefined
  /** The places for attempts, where others than the engine take some too. */
  places?: Places | undefined
  /** How much it may have in hand, and how that is shared; unless said otherwise as in `room.ts` and `shares.ts`. */
  limits?: Partial<Limits> | undefined
  share?: Rule | undefined
  newWorkerId?: () => string
}

/** The engine that sends what the delivery table holds (architecture: the way of a delivery). */
export interface DeliveryWorker extends Handover {
  start(): Promise<void>
  /** Ends when the attempts under way have, and gives everything else back. */
  stop(): Promise<void>
  /** How late the oldest due delivery is. */
  lag(now: Millis): Millis
  /** Due deliveries of a webhook may wait in the table. */
  nudge(webhookId: Id<'webhook'>): void
  /** Something may wait that this process has not been told of. */
  poll(): void
  /**
   * A person expects an attempt: a parked lane is tried at once.
   * @param first goes before all others of its webhook
   */
  tryNow(webhookId: Id<'webhook'>, first?: Id<'delivery'>): void
}
