import { MINUTE, type Millis } from '#src/core/clock.ts'
import type { Id, Kind } from '#src/core/id.ts'
import type { DeliveryJob, DeliverySettlement } from '#src/delivery/attempt/delivery-job.ts'
import { HORIZON } from '#src/delivery/attempt/schedule.ts'
import type { DeliveryStore } from '#src/delivery/delivery-store.ts'
import { LAST_CALL } from '#src/jobs/job.ts'
import type { Due } from '#src/jobs/job-store.ts'
import type { LaneState } from '#src/jobs/lanes/lane-states.ts'
import type { Bug } from './bugs.ts'
import type { FanOut } from './fan-outs.ts'
import { type Replay, stepReplays } from './replays.ts'
import { createModelClaims, type ModelWorker } from './workers.ts'

/** A secret on the model disk. The one without an end signs; the others are still accepted. */
export interface Secret {
  text: string
  expiresAt: Millis | null
}

/** A webhook on the model disk. */
export interface Webhook {
  id: Id<'webhook'>
  organizationId: Id<'organization'>
  status: 'active' | 'paused' | 'disabled' | 'deleted'
  maxInFlight: number
  maxPerSecond: number | null
  /** None is fetched by clients. */
  isListener: false
  resumedAt: Millis | null
  /** When its status changed last; an attempt of the same moment may have begun just before. */
  changedAt: Millis
  /** The signing secret first, then the retired ones, newest first. */
  secrets: Secret[]
  /** The secret of its receiver. */
  held: string
  /** Chance that it gets an event. */
  appetite: number
}

/** A delivery on the model disk. */
export interface Row extends DeliveryJob {
  status: 'pending' | 'delivered' | 'failed'
  reason: string | null
  due: Millis | null
  claim: string | null
  /** Attempts on record, by their number. */
  recorded: number[]
  updatedAt: Millis
  /** Asked for to try the destination. */
  sample: boolean
  /** The replay that made it, and the delivery that it repeats. */
  madeOf: { replay: Id<'replay'>; source: Id<'delivery'> } | null
}

/** What survives every crash. The rules are those of the SQL store; `test/store-conformance.test.ts` holds them to it. */
export interface Disk {
  webhooks: Map<Id<'webhook'>, Webhook>
  rows: Map<Id<'delivery'>, Row>
  workers: Map<string, ModelWorker>
  replays: Map<Id<'replay'>, Replay>
  fanOuts: Map<Id<'fanOut'>, FanOut>
  lanes: Map<Id<'webhook'>, LaneState<DeliveryJob> & { savedAt: Millis; probedSince: Millis | null }>
}

export function createDisk(): Disk {
  return {
    webhooks: new Map(),
    rows: new Map(),
    workers: new Map(),
    replays: new Map(),
    fanOuts: new Map(),
    lanes: new Map(),
  }
}

/** Makes ids that are ordered by their moment. */
export type NewId = <K extends Kind>(kind: K, now: Millis) => Id<K>

interface ModelDeps {
  disk: Disk
  newId: NewId
  /** Whether crashed workers of other processes are told by their lease; without it all others have crashed. */
  shared?: boolean
  /** Deliveries that one step of a replay makes. */
  replayStep?: number
  /** Webhooks that are looked at in one go. */
  pageSize?: number
  bug?: Bug | undefined
}

function pendingOf(disk: Disk, laneId: Id<'webhook'>): Row[] {
  const pending: Row[] = []
  for (const row of disk.rows.values())
    if (row.laneId === laneId && row.status === 'pending' && row.claim === null) pending.push(row)
  return pending
}

function byDue(a: Row, b: Row): number {
  return (a.due ?? 0) - (b.due ?? 0) || (a.id < b.id ? -1 : 1)
}

/** Orders deliveries for a probe: the nearest horizon first, then the fewest attempts. */
function byProbe(now: Millis): (a: Row, b: Row) => number {
  const ending = ({ horizon }: Row) => Math.min(horizon, now + LAST_CALL)
  return (a, b) => ending(a) - ending(b) || a.attempts - b.attempts || byDue(a, b)
}

/** The delivery store over the model of a disk: each operation is atomic and done when it returns. */
export function createModelStore({
  disk,
  newId,
  shared = true,
  replayStep = 5,
  pageSize = 3,
  bug,
}: ModelDeps): DeliveryStore {
  function settleOne(workerId: string, settlement: DeliverySettlement, now: Millis): void {
    const { job, attempt, status, reason, dueAt, horizon, disables } = settlement
    const row = disk.rows.get(job.id)
    if (row === undefined) return
    if ((row.claim !== workerId || row.attempts !== job.attempts) && bug !== 'no claim guard') return
    Object.assign(row, { status, reason, due: dueAt, claim: null, updatedAt: now })
    row.horizon = horizon ?? row.horizon
    if (attempt === null) return
    row.attempts = job.attempts + 1
    row.recorded.push(row.attempts)
    const webhook = disk.webhooks.get(job.laneId)
    if (!disables || webhook?.status !== 'active') return
    webhook.status = 'disabled'
    webhook.changedAt = now
  }

  function isAlive(workerId: string, now: Millis): boolean {
    return (disk.workers.get(workerId)?.aliveUntil ?? 0) > (shared ? now : 0)
  }

  function dueOf(webhook: Webhook): Due<DeliveryJob>[] {
    const { id, organizationId, maxInFlight: cap, maxPerSecond: perSecond, resumedAt } = webhook
    const due = pendingOf(disk, id).map((row) => row.due ?? 0)
    if (due.length === 0) return []
    const dueAt = Math.min(...due)
    const isHeld = resumedAt !== null && dueAt <= resumedAt
    return [{ laneId: id, organizationId, dueAt, ...(isHeld ? {} : { terms: { cap, perSecond } }) }]
  }

  function claimRow(row: Row, workerId: string): DeliveryJob {
    row.claim = workerId
    const webhook = disk.webhooks.get(row.laneId) as Webhook
    return {
      ...row,
      dueAt: row.due ?? 0,
      cap: webhook.maxInFlight,
      perSecond: webhook.maxPerSecond,
      horizon: Math.max(row.horizon, floorOf(webhook)),
      body: undefined,
    }
  }

  const claims = createModelClaims({ disk, bug })

  return {
    ...claims,
    correctDue: async (now) => (await claims.correctDue(now)) as Id<'webhook'>[],
    // Its operations end by themselves.
    interrupt() {},
    async nextDue(after) {
      const page = [...disk.webhooks.values()]
        .filter((webhook) => dueOf(webhook).length > 0 && (after === undefined || webhook.id > after))
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, pageSize)
      return {
        due: page.filter(({ status }) => status === 'active').flatMap(dueOf),
        after: page.length < pageSize ? undefined : page.at(-1)?.id,
      }
    },
    dueOf: async (webhooks) =>
      webhooks.flatMap((id) => {
        const webhook = disk.webhooks.get(id)
        return webhook?.status === 'active' ? dueOf(webhook) : []
      }),
    async claim(workerId, wants, now) {
      if (!isAlive(workerId, now)) return []
      return wants
        .flatMap(({ laneId, limit, order = 'due' }) => {
          if (disk.webhooks.get(laneId)?.status !== 'active') return []
          return pendingOf(disk, laneId)
            .filter((row) => (row.due ?? 0) <= now)
            .sort(order === 'due' ? byDue : byProbe(now))
            .slice(0, limit)
        })
        .sort(byDue)
        .map((row) => claimRow(row, workerId))
    },
    async claimNamed(workerId, named, now) {
      const isOne = (row: Row) => (row.due ?? 0) <= now && row.status === 'pending' && row.claim === null
      return named
        .flatMap(({ id }) => disk.rows.get(id) ?? [])
        .filter((row) => isAlive(workerId, now) && isOne(row))
        .filter(({ laneId }) => disk.webhooks.get(laneId)?.status === 'active')
        .sort(byDue)
        .map((row) => claimRow(row, workerId))
    },
    // The model keeps no bodies, so the value does not matter.
    findBody: async (eventId) => bodyOf(eventId),
    async findTarget(laneId, now) {
      const webhook = disk.webhooks.get(laneId)
      if (webhook?.status !== 'active') return undefined
      const endOf = ({ expiresAt }: Secret) => expiresAt ?? Number.POSITIVE_INFINITY
      const live = webhook.secrets
        .filter((secret) => endOf(secret) > now)
        .sort((a, b) => (endOf(a) === endOf(b) ? 0 : endOf(b) - endOf(a)))
      return {
        url: urlOf(laneId),
        urlVersion: 0,
        secrets: live.slice(0, bug === 'older secrets forgotten' ? 2 : undefined).map(({ text }) => text),
        maxInFlight: webhook.maxInFlight,
        maxPerSecond: webhook.maxPerSecond,
        resumedAt: webhook.resumedAt,
      }
    },
    async release(workerId, jobs) {
      for (const { id } of jobs) {
        const row = disk.rows.get(id)
        if (row?.claim === workerId) row.claim = null
      }
    },
    async claimedBy(workerId) {
      const ids: Id<'delivery'>[] = []
      for (const row of disk.rows.values()) if (row.claim === workerId) ids.push(row.id)
      return ids
    },
    lanes: {
      load: async () =>
        [...disk.lanes.values()].map(({ savedAt: _savedAt, probedSince: _probedSince, ...state }) => ({
          ...state,
          parkedAt: null,
        })),
      async save(states, now) {
        for (const state of states) {
          const before = disk.lanes.get(state.laneId)
          const isSince = before !== undefined && before.savedAt > now - MINUTE
          disk.lanes.set(state.laneId, {
            ...{ ...state, savedAt: now },
            probedSince: state.parkedAt && ((isSince ? before.probedSince : null) ?? now),
          })
        }
      },
      failing: async (now) =>
        [...disk.lanes.values()].flatMap(({ laneId, failingAt, parkedAt, savedAt }) =>
          failingAt === null ? [] : [{ laneId, isParked: parkedAt !== null && savedAt > now - MINUTE }],
        ),
      async clear(laneIds) {
        for (const laneId of laneIds) {
          const state = disk.lanes.get(laneId)
          if (state !== undefined)
            disk.lanes.set(laneId, {
              ...state,
              parkedAt: null,
              probedSince: null,
              failingAt: null,
              cause: null,
            })
        }
      },
    },
    stepReplays: async (now) => stepReplays({ disk, newId, step: replayStep, bug }, now),
    async settle(workerId, settlements, now) {
      for (const settlement of settlements) settleOne(workerId, settlement, now)
    },
  }
}

function floorOf({ resumedAt }: Webhook): Millis {
  return resumedAt === null ? 0 : resumedAt + HORIZON
}

/** The body of an event. */
export function bodyOf(eventId: Id<'event'>): Uint8Array {
  return Buffer.from(eventId)
}

/** Where a webhook's deliveries go; its host is its id. */
export function urlOf(laneId: Id<'webhook'>): string {
  return `https://${laneId.replaceAll('_', '-')}.example/`
}
