import { createBatchedLookup } from '../core/batched-lookup.ts'
import { type Millis, turn } from '../core/clock.ts'
import { type Id, prefixOf } from '../core/id.ts'
import type { Database, Tx } from '../db/database.ts'
import type { JobStore } from '../jobs/job-store.ts'
import type { LaneStore } from '../jobs/lanes/lane-states.ts'
import { createOwnershipStore } from '../jobs/ownership/ownership-store.ts'
import { createQueueStore } from '../jobs/queue/queue-store.ts'
import { MOST_LANES } from '../jobs/worker/claims.ts'
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
  /** As `JobKind.makeMore`, for the deliveries of running replays. */
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

/** Bytes of bodies that are read with a claim at most; beyond that each body is read before its attempt. */
const MOST_BYTES = 256 * 1024

export function createDeliveryStore({ database, targets, onGone, page = 500 }: StoreDeps): DeliveryStore {
  const { db } = database
  const queue = createQueueStore<DeliveryJob>(database, {
    ...{ table: 'delivery', lane: 'webhook_id', foreign: prefixOf('listenerClaim') },
  })
  const claim = createClaim(database)
  /** Most claims are one statement, which needs no round trips for `begin` and `commit`. */
  const claiming = (lanes: unknown[], statements = 1) =>
    statements === 1 && lanes.length <= MOST_LANES ? database.brief : database.tx
  const bodiesOf = (ids: Id<'event'>[]) => selectBodies(database.lookups, ids)
  const bodyOf = createBatchedLookup(bodiesOf)

  /** Where each statement is a round trip, missing bodies are read together, unless they are too large. */
  async function withBodies(jobs: DeliveryJob[]): Promise<DeliveryJob[]> {
    const without = jobs.filter(({ body }) => body === undefined)
    const sizes = new Map(without.map(({ eventId, bytes }) => [eventId, bytes]))
    const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0)
    if (!database.shared || without.length === 0 || bytes > MOST_BYTES) return jobs
    // The deliveries are claimed already; a body that is missing here is read later.
    const bodies = await bodiesOf([...sizes.keys()]).catch(() => undefined)
    for (const job of without) job.body = bodies?.get(job.eventId)?.body
    return jobs
  }

  return {
    ...queue,
    ownership: createOwnershipStore(database, (workerId) => claimedLanes(db, workerId)),

    async nextDue(after) {
      // Other work has a turn of the event loop between two pages.
      await turn()
      return queue.polling(() => nextDue(db, after ?? '', page))
    },

    dueOf: (webhooks) => dueOf(database.lookups, webhooks),

    // Waits for the disk: if a crash of the store lost the claim of a sent delivery, it would be sent twice.
    async claim(workerId, wants, now) {
      const orders = new Set(wants.map(({ order = 'due' }) => order))
      return withBodies(await claiming(wants, orders.size)((tx) => claim.wanted(tx, workerId, wants, now)))
    },

    claimNamed: (workerId, named, now) => claiming(named)((tx) => claim.named(tx, workerId, named, now)),

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
