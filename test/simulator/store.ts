import type { Millis } from '../../src/core/clock.ts'
import type { Id } from '../../src/core/id.ts'
import type { DeliveryStore, Job, Settlement } from '../../src/webhooks/deliveries.ts'
import { HORIZON } from '../../src/webhooks/retry.ts'

/** A webhook as the disk has it. */
export interface Webhook {
  id: Id<'webhook'>
  status: 'active' | 'paused' | 'disabled' | 'deleted'
  maxInFlight: number
  resumedAt: Millis | null
  /** When its status changed last; an attempt of the same moment may have begun just before. */
  changedAt: Millis
}

/** A delivery as the disk has it. */
export interface Row extends Job {
  status: 'pending' | 'delivered' | 'failed'
  reason: string | null
  due: Millis | null
  claim: string | null
  /** Attempts on record, by their number. */
  recorded: number[]
}

/** Faults that a test plants to see that they are found. */
export type Bug = 'no claim guard' | 'acknowledged before the commit' | 'no recovery'

/** What survives every crash. The rules are those of the SQL store; `store-conformance.test.ts` holds them to it. */
export interface Disk {
  webhooks: Map<Id<'webhook'>, Webhook>
  rows: Map<Id<'delivery'>, Row>
  workers: Map<string, Millis>
}

export function createDisk(): Disk {
  return { webhooks: new Map(), rows: new Map(), workers: new Map() }
}

function pendingOf(disk: Disk, webhookId: Id<'webhook'>): Row[] {
  return [...disk.rows.values()].filter(
    (row) => row.webhookId === webhookId && row.status === 'pending' && row.claim === null,
  )
}

function byDue(a: Row, b: Row): number {
  return (a.due ?? 0) - (b.due ?? 0) || (a.id < b.id ? -1 : 1)
}

function byHorizon(a: Row, b: Row): number {
  return a.horizon - b.horizon || byDue(a, b)
}

/** The delivery store over the model of a disk: each operation is atomic and done when it returns. */
export function createModelStore(disk: Disk, bug?: Bug): DeliveryStore {
  function free(isFreed: (claim: string) => boolean): void {
    for (const row of disk.rows.values()) if (row.claim !== null && isFreed(row.claim)) row.claim = null
  }

  function settleOne(workerId: string, settlement: Settlement, now: Millis): void {
    const { job, attempt, status, reason, dueAt, disables } = settlement
    const row = disk.rows.get(job.id)
    if (row === undefined) return
    if ((row.claim !== workerId || row.attempts !== job.attempts) && bug !== 'no claim guard') return
    row.status = status
    row.reason = reason
    row.due = dueAt
    row.claim = null
    if (attempt === null) return
    row.attempts = job.attempts + 1
    row.recorded.push(row.attempts)
    const webhook = disk.webhooks.get(job.webhookId)
    if (!disables || webhook?.status !== 'active') return
    webhook.status = 'disabled'
    webhook.changedAt = now
  }

  return {
    async join(workerId, aliveUntil) {
      disk.workers.set(workerId, aliveUntil)
    },
    async keepAlive(workerId, aliveUntil, now) {
      const until = disk.workers.get(workerId) ?? 0
      if (until <= now) return false
      disk.workers.set(workerId, Math.max(until, aliveUntil))
      return true
    },
    async freeDead(workerId, now) {
      if (bug === 'no recovery') return
      for (const [id, aliveUntil] of disk.workers)
        if (id !== workerId && aliveUntil <= now) disk.workers.delete(id)
      free((claim) => !disk.workers.has(claim))
    },
    async leave(workerId) {
      disk.workers.delete(workerId)
      free((claim) => claim === workerId)
    },
    async nextDue() {
      return [...disk.webhooks.values()].flatMap(({ id, status }) => {
        const due = status === 'active' ? pendingOf(disk, id).map((row) => row.due ?? 0) : []
        return due.length === 0 ? [] : [{ webhookId: id, dueAt: Math.min(...due) }]
      })
    },
    async claim(workerId, webhookId, now, { limit, order = 'due', only }) {
      if (disk.webhooks.get(webhookId)?.status !== 'active') return { jobs: [], nextDueAt: undefined }
      const isAlive = (disk.workers.get(workerId) ?? 0) > now
      const due = pendingOf(disk, webhookId).filter(
        (row) => isAlive && (row.due ?? 0) <= now && (only === undefined || row.id === only),
      )
      const claimed = due.sort(order === 'due' ? byDue : byHorizon).slice(0, limit)
      for (const row of claimed) row.claim = workerId
      const left = pendingOf(disk, webhookId).sort(byDue)
      return {
        jobs: claimed.map((row) => ({
          ...row,
          dueAt: row.due ?? 0,
          maxInFlight: disk.webhooks.get(webhookId)?.maxInFlight ?? 1,
        })),
        nextDueAt: left[0]?.due ?? undefined,
      }
    },
    async findTarget(webhookId) {
      const webhook = disk.webhooks.get(webhookId)
      if (webhook?.status !== 'active') return undefined
      const horizonFloor = webhook.resumedAt === null ? 0 : webhook.resumedAt + HORIZON
      return { url: webhookId, secrets: [''], maxInFlight: webhook.maxInFlight, horizonFloor }
    },
    async release(workerId, jobs) {
      for (const { id } of jobs) {
        const row = disk.rows.get(id)
        if (row?.claim === workerId) row.claim = null
      }
    },
    async claimedBy(workerId) {
      return [...disk.rows.values()].flatMap((row) => (row.claim === workerId ? [row.id] : []))
    },
    stepReplays: async () => ({ webhooks: [] }),
    async settle(workerId, settlements, now) {
      for (const settlement of settlements) settleOne(workerId, settlement, now)
    },
  }
}
