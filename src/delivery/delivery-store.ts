import { createBatchedLookup } from '../core/batched-lookup.ts'
import { type Millis, turn } from '../core/clock.ts'
import { type Id, prefixOf } from '../core/id.ts'
import type { Database, Tx } from '../db/database.ts'
import type { JobStore } from '../jobs/job-store.ts'
import type { LaneStore } from '../jobs/lanes/lane-states.ts'
import { createOwnershipStore } from '../jobs/ownership/ownership-store.ts'
import { createQueueStore } from '../jobs/queue/queue-store.ts'
import type { DeliveryJob, DeliverySettlement } from './attempt/delivery-job.ts'
import type { ActiveTarget, Targets } from './attempt/targets.ts'
import { createClaim } from './queue/claim.ts'
import { selectBodies } from './queue/delivery-row.ts'
import { createLaneStore } from './queue/lane-store.ts'
import { settle } from './queue/settle.ts'
import { claimedLanes, dueOf, nextDue } from './queue/waiting-lanes.ts'
import { stepReplays } from './replays/replay-step.ts'

/** The methods of the store for deliveries, in addition to those for every kind of job. */
export interface DeliveryStore extends Required<Omit<JobStore<DeliveryJob, DeliverySettlement>, 'unlocked'>> {
  /** Where a webhook's deliveries go now; undefined where it is deleted or not active. */
  findTarget(webhookId: Id<'webhook'>, now: Millis): Promise<ActiveTarget | undefined>
  /** The body of an event; undefined where the event is removed. */
  findBody(eventId: Id<'event'>): Promise<Uint8Array | undefined>
  lanes: LaneStore<DeliveryJob>
  /** As `JobKind.afterPoll`, for the deliveries of running replays. */
  stepReplays(now: Millis): Promise<Id<'webhook'>[]>
}

interface StoreDeps {
  database: Database
  targets: Targets
  /** Called in the settling transaction when a destination is gone. */
  onGone: (tx: Tx, job: DeliveryJob, now: Millis) => Promise<void>
  /** Webhooks of one page of a poll; other work has its turn between two pages. */
  page?: number
}

export function createDeliveryStore({ database, targets, onGone, page = 500 }: StoreDeps): DeliveryStore {
  const { db } = database
  const queue = createQueueStore<DeliveryJob>(database, {
    ...{ table: 'delivery', lane: 'webhook_id', foreign: prefixOf('listenerClaim') },
  })
  const bodyOf = createBatchedLookup((ids: Id<'event'>[]) => selectBodies(database.lookups, ids))

  return {
    ...queue,
    ...createClaim(database),
    ownership: createOwnershipStore(database, (workerId) => claimedLanes(db, workerId)),

    async nextDue(after) {
      // Other work has a turn of the event loop between two pages.
      await turn()
      return queue.polling(() => nextDue(db, after ?? '', page))
    },

    dueOf: (webhooks) => dueOf(database.lookups, webhooks),

    findBody: async (eventId) => (await bodyOf(eventId))?.body,

    findTarget: (webhookId, now) => targets.find(webhookId, now),

    lanes: createLaneStore(database),

    stepReplays: (now) => queue.polling(() => stepReplays(database, now)),

    async settle(workerId, settlements, now) {
      // Disabling a webhook may wait for its row, and reserved connections must not wait.
      const access = settlements.some(({ disables }) => disables) ? database.patient : database.reserved
      await settle(access, workerId, settlements, now, onGone)
    },
  }
}
