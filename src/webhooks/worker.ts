import { randomUUID } from 'node:crypto'
import { type Clock, type Millis, repeat, SECOND } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import type { DeliveryStore, Job, Settlement } from './deliveries.ts'
import { createLanes } from './lanes.ts'
import { classify } from './outcome.ts'
import type { Handover } from './publish.ts'
import { nextAttemptAt } from './retry.ts'
import { DEADLINE, type Send } from './send.ts'

/** Attempts under way at once in one process, over all lanes. */
const MOST_IN_FLIGHT = 1_000

/** A worker's claims are good this long after its last sign of life: longer than any attempt. */
const LEASE: Millis = DEADLINE + 10 * SECOND
const SIGN_OF_LIFE_EVERY: Millis = 10 * SECOND

/** What another process put into the table without telling is found this soon. */
const LOOK_EVERY: Millis = 2 * SECOND

/** After a failure of our own store: the attempts' results wait in memory. */
const STORE_RETRY: Millis = SECOND

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
  onAttempt: (outcome: string, durationMs: number) => void
}

/** The engine that sends what the delivery table holds (design: the delivery). */
export interface DeliveryWorker extends Handover {
  start(): Promise<void>
  /** Ends when the attempts under way have, and gives everything else back. */
  stop(): Promise<void>
  /** How late the oldest due delivery is. */
  lag(now: Millis): Millis
  /** Due deliveries of a webhook may wait in the table. */
  nudge(webhookId: Id<'webhook'>): void
  /** Something may wait that this process has not been told of. */
  look(): void
}

/**
 * accepted → lane → attempt → settled, and again when a retry is due.
 *
 * A delivery is in exactly one place: unclaimed in the table, or claimed by one worker and then in its lane, in
 * flight, or waiting to be settled. A crash leaves it claimed by a worker that gives no sign of life; it is freed
 * and sent again, with the same event id.
 */
export function createDeliveryWorker(deps: DeliveryWorkerDeps): DeliveryWorker {
  const { clock, store, send, log, shared, onAttempt } = deps
  const lanes = createLanes()
  /** When the first unclaimed delivery of a webhook is due, as far as is known here. */
  const waiting = new Map<Id<'webhook'>, Millis>()
  const claiming = new Set<Id<'webhook'>>()
  let workerId: string = randomUUID()
  let aliveUntil: Millis = 0
  let isRunning = false
  let unsettled: { workerId: string; settlement: Settlement; isWell: boolean; cap: number }[] = []
  let settling: Promise<void> | undefined
  let cancelWake = () => {}
  let cancelSign = () => {}
  let cancelLook = () => {}
  const underWay = new Set<Promise<void>>()

  function notice(webhookId: Id<'webhook'>, dueAt: Millis): void {
    waiting.set(webhookId, Math.min(dueAt, waiting.get(webhookId) ?? Number.POSITIVE_INFINITY))
  }

  /** Starts what may start, claims what is due, and sets the alarm for what is not. */
  function pump(): void {
    if (!isRunning) return
    const now = clock.now()
    if (shared && now >= aliveUntil) return void track(rejoin())
    while (lanes.inFlight < MOST_IN_FLIGHT) {
      const job = lanes.next()
      if (job === undefined) break
      track(attempt(job, workerId))
    }
    let alarm = Number.POSITIVE_INFINITY
    for (const [webhookId, dueAt] of waiting) {
      if (dueAt > now) alarm = Math.min(alarm, dueAt)
      else if (!claiming.has(webhookId) && lanes.hasRoom(webhookId)) track(claim(webhookId, now))
    }
    cancelWake()
    cancelWake = alarm === Number.POSITIVE_INFINITY ? () => {} : clock.after(alarm - now, pump)
  }

  function track(work: Promise<void>): void {
    const tracked: Promise<void> = work
      .catch((error: unknown) => log.error({ err: error }, 'delivery worker'))
      .finally(() => underWay.delete(tracked))
    underWay.add(tracked)
  }

  async function claim(webhookId: Id<'webhook'>, now: Millis): Promise<void> {
    claiming.add(webhookId)
    waiting.delete(webhookId)
    const claimer = workerId
    try {
      const { jobs, nextDueAt } = await store.claim(claimer, webhookId, lanes.roomOf(webhookId), now)
      if (nextDueAt !== undefined) notice(webhookId, nextDueAt)
      if (claimer === workerId && isRunning) for (const job of jobs) lanes.add(job)
      else if (jobs.length > 0) await store.release(claimer, jobs)
    } catch (error) {
      notice(webhookId, now + STORE_RETRY)
      throw error
    } finally {
      claiming.delete(webhookId)
      pump()
    }
  }

  async function attempt(job: Job, claimer: string): Promise<void> {
    const startedAt = clock.now()
    const target = await store.findTarget(job.webhookId, startedAt).catch((error: unknown) => {
      log.error({ err: error }, 'delivery worker')
      return undefined
    })
    // Paused, deleted, or not to be read just now: the table decides what becomes of it.
    if (target === undefined) {
      await store.release(claimer, [job])
      lanes.done(job, true, 1)
      notice(job.webhookId, startedAt + STORE_RETRY)
      return pump()
    }
    const horizon = Math.max(job.horizon, target.horizonFloor)
    if (startedAt > horizon) {
      const tooLate: Settlement = {
        job,
        attempt: null,
        status: 'failed',
        reason: 'horizon_passed',
        dueAt: null,
        disables: false,
      }
      return settleSoon(claimer, tooLate, true, target.maxInFlight)
    }
    const sent = await send(target, {
      eventId: job.eventId,
      deliveryId: job.id,
      attempt: job.attempts + 1,
      body: job.body,
    })
    const now = clock.now()
    const { verdict, reason, notBefore } = classify(sent.result, now)
    const dueAt =
      verdict === 'retry' ? nextAttemptAt({ attempts: job.attempts + 1, now, horizon, notBefore }) : undefined
    const status = verdict === 'delivered' ? 'delivered' : dueAt === undefined ? 'failed' : 'pending'
    onAttempt(verdict, sent.durationMs)
    log.info(
      {
        deliveryId: job.id,
        webhookId: job.webhookId,
        organizationId: job.organizationId,
        eventId: job.eventId,
        attempt: job.attempts + 1,
        verdict,
        reason,
        status,
        durationMs: Math.round(sent.durationMs),
        lateMs: Math.max(0, startedAt - job.dueAt),
        retryInMs: dueAt === undefined ? null : dueAt - now,
      },
      'attempt',
    )
    const settlement: Settlement = {
      job,
      attempt: { startedAt, sent, outcome: verdict },
      status,
      reason:
        status === 'delivered'
          ? null
          : verdict === 'retry' && dueAt === undefined
            ? 'horizon_passed'
            : reason,
      dueAt: dueAt ?? null,
      disables: verdict === 'gone',
    }
    return settleSoon(claimer, settlement, verdict !== 'retry', target.maxInFlight)
  }

  /** Results that arrive while a commit is under way share the next one. */
  function settleSoon(claimer: string, settlement: Settlement, isWell: boolean, cap: number): Promise<void> {
    unsettled.push({ workerId: claimer, settlement, isWell, cap })
    settling ??= settleAll().finally(() => {
      settling = undefined
    })
    return settling
  }

  async function settleAll(): Promise<void> {
    while (unsettled.length > 0) {
      const batch = unsettled
      unsettled = []
      try {
        for (const [claimer, settlements] of Map.groupBy(batch, (item) => item.workerId)) {
          await store.settle(
            claimer,
            settlements.map(({ settlement }) => settlement),
            clock.now(),
          )
        }
      } catch (error) {
        // Our fault, not the destination's: nothing is attempted again for it, the results wait.
        log.error({ err: error }, 'settling deliveries')
        unsettled = [...batch, ...unsettled]
        await new Promise<void>((resolve) => clock.after(STORE_RETRY, resolve))
        continue
      }
      for (const { settlement, isWell, cap } of batch) {
        lanes.done(settlement.job, isWell, cap)
        if (settlement.dueAt !== null) notice(settlement.job.webhookId, settlement.dueAt)
      }
      pump()
    }
  }

  /** Life was interrupted for longer than the lease: what was claimed may be another's by now. */
  async function rejoin(): Promise<void> {
    lanes.clear()
    workerId = randomUUID()
    await signOfLife()
    await look()
  }

  async function signOfLife(): Promise<void> {
    const until = clock.now() + LEASE
    await store.keepAlive(workerId, until)
    aliveUntil = until
  }

  /** Finds what crashed workers left and what other processes wrote. */
  async function look(): Promise<void> {
    await store.freeDead(workerId, clock.now())
    for (const { webhookId, dueAt } of await store.nextDue()) notice(webhookId, dueAt)
    pump()
    while (isRunning) {
      const { webhooks } = await store.stepReplays(clock.now())
      if (webhooks.length === 0) return
      for (const webhookId of webhooks) notice(webhookId, clock.now())
      pump()
    }
  }

  return {
    claimFor: (webhookId) =>
      isRunning && lanes.hasRoom(webhookId) && (!shared || clock.now() < aliveUntil) ? workerId : undefined,
    accept(fresh, unclaimed) {
      const now = clock.now()
      if (isRunning) for (const job of fresh) lanes.add(job)
      for (const webhookId of unclaimed) notice(webhookId, now)
      pump()
    },
    async start() {
      await signOfLife()
      isRunning = true
      await look()
      cancelSign = repeat(clock, SIGN_OF_LIFE_EVERY, () => track(signOfLife()))
      cancelLook = repeat(clock, LOOK_EVERY, () => track(look()))
    },
    async stop() {
      isRunning = false
      cancelWake()
      cancelLook()
      lanes.clear()
      while (underWay.size > 0) await Promise.all(underWay)
      cancelSign()
      await store.leave(workerId)
    },
    nudge(webhookId) {
      notice(webhookId, clock.now())
      pump()
    },
    look() {
      if (isRunning) track(look())
    },
    lag(now) {
      const due = Math.min(lanes.oldestDue() ?? now, ...[...waiting.values()])
      return Math.max(0, now - due)
    },
  }
}
