import type { Millis } from '#src/core/clock.ts'
import type { Id } from '#src/core/id.ts'
import type { FanOutStore } from '#src/delivery/publish/fan-out.ts'
import {
  claimersOf,
  type DeliveryHandover,
  type Fresh,
  newDelivery,
} from '#src/delivery/publish/new-delivery.ts'
import { bodyOf, type Disk, type NewId, type Row } from './store.ts'

/** Deliveries that a publication is answered for and that are still to be written, as the disk has them. */
export interface FanOut {
  id: Id<'fanOut'>
  organizationId: Id<'organization'>
  /** The moment of its events. */
  publishedAt: Millis
  events: Id<'event'>[]
  webhooks: Id<'webhook'>[]
  /** How many are written: first those of the first event, to each webhook in turn. */
  position: number
}

type Pair = [Id<'event'>, Id<'webhook'>]

/** The deliveries of a row that are not written yet. */
export function pairsOf({ events, webhooks, position }: FanOut): Pair[] {
  return events.flatMap((event) => webhooks.map((webhook): Pair => [event, webhook])).slice(position)
}

/** The next deliveries of an organization, and how far it has come with them. */
export interface Plan {
  organizationId: Id<'organization'>
  publishedAt: Millis
  pairs: Pair[]
  move: () => void
}

/** The halves of a step: planted bugs commit them one after the other. */
export interface ModelFanOuts extends Pick<FanOutStore, 'next'> {
  plan(organizationId: Id<'organization'>): Plan | undefined
  write(plan: Plan, handover: DeliveryHandover, now: Millis): Fresh[]
}

interface ModelDeps {
  disk: Disk
  newId: NewId
  /** Deliveries that one step writes. */
  step: number
}

/** The fan-out's store over the model of a disk. */
export function createModelFanOuts({ disk, newId, step }: ModelDeps): ModelFanOuts {
  function plan(organizationId: Id<'organization'>): Plan | undefined {
    const [row] = [...disk.fanOuts.values()]
      .filter((one) => one.organizationId === organizationId)
      .sort((a, b) => (a.id < b.id ? -1 : 1))
    if (row === undefined) return undefined
    const left = pairsOf(row)
    return {
      ...{ organizationId, publishedAt: row.publishedAt },
      pairs: left.slice(0, step),
      move() {
        if (left.length > step) disk.fanOuts.set(row.id, { ...row, position: row.position + step })
        else disk.fanOuts.delete(row.id)
      },
    }
  }

  function write(
    { organizationId, publishedAt, pairs }: Plan,
    handover: DeliveryHandover,
    now: Millis,
  ): Fresh[] {
    const present = pairs.flatMap(([eventId, webhookId]) => {
      const webhook = disk.webhooks.get(webhookId)
      return webhook === undefined || webhook.status === 'deleted' ? [] : [[eventId, webhook] as const]
    })
    const claimers = claimersOf(handover, [[organizationId, present.map(([, webhook]) => webhook)]])
    return present.map(([eventId, subscriber]) => {
      const event = {
        ...{ id: eventId, organization_id: organizationId, hops: 0 },
        ...{ type: 'agent.run.completed', created_at: publishedAt },
      }
      const delivery = { ...newDelivery(event, subscriber.id, claimers, now), id: newId('delivery', now) }
      const fresh = { delivery, event: { body: bodyOf(eventId), hops: 0 }, subscriber }
      disk.rows.set(delivery.id, toRow(fresh))
      return fresh
    })
  }

  return {
    async next(after) {
      const waiting = [...disk.fanOuts.values()].map(({ organizationId }) => organizationId).sort()
      return waiting.find((id) => id > after) ?? waiting[0]
    },
    plan,
    write,
  }
}

function toRow({ delivery, event, subscriber }: Fresh): Row {
  return {
    id: delivery.id,
    laneId: delivery.webhook_id,
    organizationId: delivery.organization_id,
    eventId: delivery.event_id,
    attempts: 0,
    dueAt: delivery.due_at ?? 0,
    horizon: delivery.horizon_at,
    cap: subscriber.maxInFlight,
    perSecond: subscriber.maxPerSecond,
    body: event.body,
    bytes: event.body.length,
    hops: event.hops,
    status: 'pending',
    reason: null,
    due: delivery.due_at,
    claim: delivery.claim_id,
    recorded: [],
    updatedAt: delivery.updated_at,
    sample: false,
    madeOf: null,
  }
}
