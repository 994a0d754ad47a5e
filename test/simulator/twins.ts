import assert from 'node:assert/strict'
import { DAY, type Millis } from '#src/core/clock.ts'
import { type Id, newId, packIds } from '#src/core/id.ts'
import type { Vault } from '#src/core/secret.ts'
import type { Database } from '#src/db/database.ts'
import { HORIZON } from '#src/delivery/attempt/schedule.ts'
import { renewSecret } from '#src/delivery/attempt/secrets.ts'
import { createTargets } from '#src/delivery/attempt/targets.ts'
import { createDeliveryStore, type DeliveryStore } from '#src/delivery/delivery-store.ts'
import type { FanOutStore } from '#src/delivery/publish/fan-out.ts'
import { createFanOutStore } from '#src/delivery/publish/fan-out-store.ts'
import { type DeliveryHandover, handOver } from '#src/delivery/publish/new-delivery.ts'
import { insertDeliveries } from '#src/delivery/queue/delivery-row.ts'
import type { LeaseStore } from '#src/jobs/lease/lease.ts'
import { createLeaseStore } from '#src/jobs/lease/lease-store.ts'
import { allOnDisk, createComparison } from './compare.ts'
import { createModelFanOuts } from './fan-outs.ts'
import type { Replay } from './replays.ts'
import { bodyOf, createDisk, createModelStore, type Row, urlOf, type Webhook } from './store.ts'
import { modelCounts, modelRows, storedCounts, storedRows } from './twin-rows.ts'
import { createModelLeases } from './workers.ts'

/** More than any step of a replay makes. */
const WHOLE_STEP = 500

/** Webhooks that both look at in one go. */
const PAGE = 2

/** Deliveries that both write in one step. */
const STEP = 3

/** The stores of deliveries and of steps. */
type Stores = DeliveryStore & {
  fanOut(handover: DeliveryHandover): FanOutStore
  lease: LeaseStore
}

/** The SQL store and the simulator's model of it, on which the same is done. */
export interface Twins {
  webhooks: Webhook[]
  rows(): Row[]
  /** Does the same with both, and sees that both answer the same and have the same afterwards. */
  both<T>(work: (store: Stores) => Promise<T>): Promise<T>
  register(maxInFlight: number, now: Millis): Promise<void>
  publish(webhook: Webhook, claim: string | null, now: Millis, isSample?: boolean): Promise<void>
  /** Publishes events whose deliveries are written in steps. */
  leave(webhooks: Webhook[], events: number, now: Millis): Promise<void>
  setStatus(webhook: Webhook, status: Webhook['status'], now: Millis): Promise<void>
  rotate(webhook: Webhook, now: Millis): Promise<void>
  /** Of one webhook, or of all. */
  replay(webhook: Webhook | null, filter: Replay['filter'], since: Millis, now: Millis): Promise<void>
}

export async function createTwins(database: Database, vault: Vault, start: Millis): Promise<Twins> {
  const disk = createDisk()
  const targets = createTargets({ database, vault })
  const fanOuts = createModelFanOuts({ disk, newId, step: STEP })
  const model: Stores = {
    ...createModelStore({
      disk,
      newId,
      shared: database.shared,
      replayStep: WHOLE_STEP,
      pageSize: PAGE,
    }),
    lease: createModelLeases({ disk, shared: database.shared }),
    fanOut: (handover) => ({
      next: fanOuts.next,
      async step(organizationId, now) {
        const planned = fanOuts.plan(organizationId)
        planned?.move()
        const fresh = planned && fanOuts.write(planned, handover, now)
        if (fresh) handOver(handover, fresh)
        return fresh?.length
      },
    }),
  }
  const sending = createDeliveryStore({
    database: allOnDisk(database),
    targets,
    page: PAGE,
    async onGone(tx, { laneId }, now) {
      await tx
        .updateTable('webhook')
        .set({ status: 'disabled', updated_at: now })
        .where('id', '=', laneId)
        .where('status', '=', 'active')
        .execute()
    },
  })
  const real: Stores = {
    ...sending,
    lease: createLeaseStore(allOnDisk(database)),
    fanOut: (handover) => createFanOutStore(database, () => STEP, handover),
  }
  const organizationId = newId('organization', start)
  const organization = {
    id: organizationId,
    name: organizationId,
    plan: 'free',
    flags: '{}',
    created_at: start,
    deleted_at: null,
  }
  await database.tx((tx) => tx.insertInto('organization').values(organization).execute())

  /** Each store makes its own ids for the deliveries of a replay; they correspond by their order. */
  function rename(real: { id: Id<'delivery'> }[]): void {
    const known = new Set(real.map(({ id }) => id))
    const strange = [...disk.rows.values()].filter(({ id }) => !known.has(id)).sort(byId)
    const unknown = real.filter(({ id }) => !disk.rows.has(id)).sort(byId)
    for (const [index, row] of strange.entries()) {
      disk.rows.delete(row.id)
      const id = unknown[index]?.id
      if (id === undefined) continue
      disk.rows.set(id, { ...row, id })
      for (const replay of disk.replays.values()) if (replay.position === row.id) replay.position = id
    }
  }

  async function compareRows(): Promise<void> {
    const rows = await storedRows(database, organizationId)
    rename(rows)
    assert.deepEqual(rows, modelRows(disk))
    assert.deepEqual(await storedCounts(database, organizationId), modelCounts(disk))
    const { db } = database
    const webhooks = await db
      .selectFrom('webhook')
      .select(['id', 'status'])
      .where('organization_id', '=', organizationId)
      .orderBy('id')
      .execute()
    assert.deepEqual(
      webhooks.map((one) => [one.id, one.status]),
      [...disk.webhooks.values()].sort(byId).map((one) => [one.id, one.status]),
    )
    const fanOuts = await db
      .selectFrom('fan_out')
      .select(['id', 'position'])
      .where('organization_id', '=', organizationId)
      .orderBy('id')
      .execute()
    assert.deepEqual(
      fanOuts.map((one) => [one.id, one.position]),
      [...disk.fanOuts.values()].sort(byId).map((one) => [one.id, one.position]),
    )
    const replays = await db
      .selectFrom('replay')
      .select(['id', 'status', 'replayed', 'at_webhook_id', 'position'])
      .where('organization_id', '=', organizationId)
      .orderBy('id')
      .execute()
    assert.deepEqual(
      replays.map((one) => [one.id, one.status, one.replayed, one.at_webhook_id, one.position]),
      [...disk.replays.values()]
        .sort(byId)
        .map((one) => [one.id, one.status, one.replayed, one.at, one.position]),
    )
  }

  const comparison = createComparison({
    ...{ database, real, model, disk, compareRows },
    seen: visibleJob,
  })

  return {
    get webhooks() {
      return [...disk.webhooks.values()]
    },
    rows: () => [...disk.rows.values()],

    both(work) {
      for (const id of disk.webhooks.keys()) targets.forget(id)
      return comparison.both(work)
    },

    async register(maxInFlight, now) {
      const id = newId('webhook', now)
      const secret = await database.tx(async (tx) => {
        await tx
          .insertInto('webhook')
          .values({
            id,
            organization_id: organizationId,
            url: urlOf(id),
            url_version: 0,
            events: '["*"]',
            endpoint_path: null,
            description: null,
            status: 'active',
            disabled_reason: null,
            max_in_flight: maxInFlight,
            max_per_second: null,
            status_at: now,
            resumed_at: null,
            created_at: now,
            updated_at: now,
          })
          .execute()
        return renewSecret(tx, vault, id, now)
      })
      const secrets = [{ text: secret, expiresAt: null }]
      const life = {
        status: 'active' as const,
        maxInFlight,
        maxPerSecond: null,
        isListener: false as const,
        resumedAt: null,
        changedAt: now,
      }
      disk.webhooks.set(id, { id, organizationId, ...life, secrets, held: secret, appetite: 1 })
    },

    async publish({ id: laneId, maxInFlight }, claim, now, isSample = false) {
      const [id, eventId] = [newId('delivery', now), newId('event', now)]
      const body = bodyOf(eventId)
      const type = 'agent.run.completed'
      const horizon = now + HORIZON
      await database.tx(async (tx) => {
        await tx
          .insertInto('event')
          .values({ id: eventId, organization_id: organizationId, type, body, hops: 0, created_at: now })
          .execute()
        await insertDeliveries(tx, [
          {
            id,
            organization_id: organizationId,
            webhook_id: laneId,
            event_id: eventId,
            event_type: type,
            status: 'pending',
            reason: null,
            attempts: 0,
            due_at: now,
            horizon_at: horizon,
            claim_id: claim,
            sample: isSample ? 1 : 0,
            created_at: now,
            updated_at: now,
          },
        ])
      })
      const names = { id, laneId, organizationId, eventId }
      const life = {
        status: 'pending' as const,
        reason: null,
        recorded: [],
        updatedAt: now,
        sample: isSample,
        madeOf: null,
      }
      disk.rows.set(id, {
        ...names,
        ...life,
        attempts: 0,
        dueAt: now,
        due: now,
        horizon,
        cap: maxInFlight,
        perSecond: null,
        body,
        bytes: body.length,
        hops: 0,
        claim,
      })
    },

    async setStatus(webhook, status, now) {
      const isResumed = status === 'active' && webhook.status !== 'active'
      const resumed = isResumed ? { resumed_at: now } : {}
      await database.tx(async (tx) => {
        await tx
          .updateTable('webhook')
          .set({ status, ...resumed })
          .where('id', '=', webhook.id)
          .execute()
        if (status === 'deleted')
          await tx
            .updateTable('replay')
            .set({ status: 'cancelled' })
            .where('webhook_id', '=', webhook.id)
            .where('status', '=', 'running')
            .execute()
      })
      if (isResumed) webhook.resumedAt = now
      webhook.status = status
      for (const replay of disk.replays.values())
        if (status === 'deleted' && replay.webhookId === webhook.id && replay.status === 'running')
          replay.status = 'cancelled'
    },

    async rotate(webhook, now) {
      const text = await database.tx((tx) => renewSecret(tx, vault, webhook.id, now))
      webhook.secrets = [
        { text, expiresAt: null },
        ...webhook.secrets.map((old) => ({ ...old, expiresAt: old.expiresAt ?? now + DAY })),
      ]
    },

    async leave(webhooks, count, now) {
      const events = Array.from({ length: count }, () => newId('event', now))
      const type = 'agent.run.completed'
      const rows = events.map((id) => ({
        ...{ id, organization_id: organizationId, type, hops: 0, created_at: now },
        body: bodyOf(id),
      }))
      const row = { id: newId('fanOut', now), position: 0 }
      const ids = webhooks.map(({ id }) => id)
      await database.tx(async (tx) => {
        await tx.insertInto('event').values(rows).execute()
        await tx
          .insertInto('fan_out')
          .values({
            ...row,
            organization_id: organizationId,
            events: packIds(events),
            webhooks: packIds(ids),
          })
          .execute()
      })
      disk.fanOuts.set(row.id, { ...row, organizationId, publishedAt: now, events, webhooks: ids })
    },

    async replay(webhook, filter, since, now) {
      const id = newId('replay', now)
      const life = { status: 'running' as const, position: '', replayed: 0, since, until: now, filter }
      const moments = { created_at: now, updated_at: now, total: 0 }
      const [webhookId, at] = [webhook?.id ?? null, webhook?.id ?? ('' as const)]
      const place = { webhook_id: webhookId, at_webhook_id: at, criteria: '{}' }
      const row = { id, organization_id: organizationId, ...place, ...life, ...moments }
      await database.tx((tx) => tx.insertInto('replay').values(row).execute())
      disk.replays.set(id, { id, webhookId, at, ...life, sources: new Map() })
    },
  }
}

function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1
}

function visibleJob({
  id,
  laneId,
  organizationId,
  eventId,
  attempts,
  dueAt,
  horizon,
  cap,
  perSecond,
  bytes,
  hops,
}: Row) {
  return [id, laneId, organizationId, eventId, attempts, dueAt, horizon, cap, perSecond, bytes, hops]
}
