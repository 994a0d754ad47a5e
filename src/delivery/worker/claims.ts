import { createBoundedMap } from '../../core/bounded-map.ts'
import type { Clock, Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { DeliveryStore, Due, Job, Want } from '../store/job.ts'
import { STORE_RETRY } from '../store/job.ts'
import type { Lanes, Owned } from '../turns/lanes.ts'
import { createRings } from '../turns/rings.ts'
import type { Alarm } from './alarm.ts'
import type { Lease } from './lease.ts'

/** Webhooks of one statement at most. */
export const MOST_WEBHOOKS = 50
/** Deliveries of one statement at most. */
export const MOST_ROWS = 500
/** Webhooks of which it is remembered whose they are. */
const MOST_OWNERS = 50_000

interface ClaimsDeps {
  clock: Clock
  store: Pick<DeliveryStore, 'claim' | 'claimNamed' | 'dueOf' | 'release'>
  lease: Pick<Lease, 'name'>
  lanes: Pick<Lanes, 'wanted' | 'isParked'>
  alarm: Alarm<Id<'webhook'>>
  /** Whether this worker may claim and send. */
  mayWork: () => boolean
  /** Takes claimed deliveries into their lanes. */
  onClaimed: (jobs: Job[]) => void
  /** Is told when a claim of webhooks has ended, however it did. */
  onEnded: (webhooks: Id<'webhook'>[]) => void
  /** Keeps an eye on work that nobody waits for. */
  track: (work: Promise<void>) => void
}

/**
 * Brings due deliveries from the table into the lanes: those of many webhooks in one statement, one statement at a time.
 * Organizations take turns at being claimed for, and the webhooks of each.
 */
export interface Claims {
  /** The next delivery of a webhook in the table is due at a moment. */
  notice(due: Due): void
  /** Deliveries of webhooks may be due in the table. */
  nudge(webhooks: Id<'webhook'>[]): void
  /** Claims deliveries of a webhook if any wait in the table and its lane has room. */
  refill(webhookId: Id<'webhook'>): void
  /** The same for every webhook. */
  refillAll(): void
  /** Claims one delivery, whatever is before it. */
  first(id: Id<'delivery'>): void
  /** Whether a delivery that was claimed, by whichever claim was faster, is one that was to be first. */
  isFirst(id: Id<'delivery'>): boolean
  /** Whether deliveries of a webhook are known to wait in the table, or are being claimed. */
  isBehind(webhookId: Id<'webhook'>): boolean
}

export function createClaims(deps: ClaimsDeps): Claims {
  const { clock, store, lease, lanes, alarm, mayWork, onClaimed, onEnded, track } = deps
  const owners = createBoundedMap<Id<'webhook'>, Id<'organization'>>(MOST_OWNERS)
  /** Webhooks with due deliveries in the table … */
  const waiting = new Map<Id<'webhook'>, Owned>()
  /** … and of these, the ones whose lanes have room. */
  const rings = createRings<Id<'organization'>, Owned>()
  const queued = new Set<Id<'webhook'>>()
  const claiming = new Set<Id<'webhook'>>()
  /** Deliveries that a person asked for, to be claimed next. */
  const urgent = new Set<Id<'delivery'>>()
  /** Of all that were asked for, the ones that no claim has brought yet. */
  const expected = new Set<Id<'delivery'>>()
  let isUnderWay = false

  function begin(): void {
    if (isUnderWay || (urgent.size === 0 && rings.size === 0) || !mayWork()) return
    isUnderWay = true
    track(
      (urgent.size > 0 ? claimFirst() : claimSome()).finally(() => {
        isUnderWay = false
        begin()
      }),
    )
  }

  /** Whose turn it is, and how much each of them gets of one statement. */
  function choose(): Map<Id<'webhook'>, Want> {
    const wants = new Map<Id<'webhook'>, Want>()
    const most = Math.floor(MOST_ROWS / Math.min(rings.size, MOST_WEBHOOKS))
    while (wants.size < MOST_WEBHOOKS) {
      const webhook = rings.take()
      if (webhook === undefined) break
      const { webhookId } = webhook
      queued.delete(webhookId)
      const limit = Math.min(lanes.wanted(webhook), most)
      if (limit <= 0) continue
      waiting.delete(webhookId)
      wants.set(webhookId, { webhookId, limit, order: lanes.isParked(webhookId) ? 'probe' : 'due' })
    }
    return wants
  }

  async function claimSome(): Promise<void> {
    const wants = choose()
    const webhooks = [...wants.keys()]
    for (const webhookId of webhooks) claiming.add(webhookId)
    try {
      if (webhooks.length === 0) return
      await take((claimer) => store.claim(claimer, [...wants.values()], clock.now()))
      // What is left of each; before it is known, nothing new is taken in ahead of it.
      for (const due of await store.dueOf(webhooks)) notice(due)
    } catch (error) {
      for (const webhookId of webhooks) alarm.set(webhookId, clock.now() + STORE_RETRY)
      throw error
    } finally {
      for (const webhookId of webhooks) claiming.delete(webhookId)
      onEnded(webhooks)
    }
  }

  async function claimFirst(): Promise<void> {
    const ids = [...urgent].slice(0, MOST_WEBHOOKS)
    for (const id of ids) urgent.delete(id)
    await take((claimer) => store.claimNamed(claimer, ids, clock.now()))
    onEnded([])
  }

  async function take(claim: (claimer: string) => Promise<Job[]>): Promise<void> {
    const claimer = lease.name
    const jobs = await claim(claimer)
    if (claimer === lease.name && mayWork()) onClaimed(jobs)
    else if (jobs.length > 0) await store.release(claimer, jobs)
  }

  function notice({ webhookId, organizationId, dueAt }: Due): void {
    owners.set(webhookId, organizationId)
    if (dueAt > clock.now()) {
      alarm.set(webhookId, dueAt)
    } else {
      if (!waiting.has(webhookId)) waiting.set(webhookId, { webhookId, organizationId })
      refill(webhookId)
    }
  }

  function refill(webhookId: Id<'webhook'>): void {
    const webhook = waiting.get(webhookId)
    if (webhook === undefined || claiming.has(webhookId) || queued.has(webhookId)) return
    if (lanes.wanted(webhook) <= 0) return
    queued.add(webhookId)
    rings.add(webhook.organizationId, webhook)
    begin()
  }

  /** Those of which it is not known whose they are. */
  async function identify(webhooks: Id<'webhook'>[]): Promise<void> {
    for (const due of await store.dueOf(webhooks)) notice(due)
  }

  return {
    notice,
    nudge(webhooks) {
      const unknown: Id<'webhook'>[] = []
      const dueAt: Millis = clock.now()
      for (const webhookId of webhooks) {
        const organizationId = owners.get(webhookId)
        if (organizationId === undefined) unknown.push(webhookId)
        else notice({ webhookId, organizationId, dueAt })
      }
      if (unknown.length > 0) track(identify(unknown))
    },
    refill,
    refillAll() {
      if (!isUnderWay && urgent.size === 0) expected.clear()
      for (const webhookId of waiting.keys()) refill(webhookId)
      begin()
    },
    first(id) {
      urgent.add(id)
      expected.add(id)
      begin()
    },
    isFirst: (id) => expected.delete(id),
    isBehind: (webhookId) => waiting.has(webhookId) || claiming.has(webhookId),
  }
}
