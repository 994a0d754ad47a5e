import { type Clock, type Millis, repeat, SECOND } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import { createAlarm } from './alarm.ts'
import { makeAttempt } from './attempt.ts'
import type { DeliveryStore, Job } from './deliveries.ts'
import { createInHand } from './in-hand.ts'
import { createLanes } from './lanes.ts'
import { createLease } from './lease.ts'
import type { Handover } from './publish.ts'
import { DEADLINE, type Send } from './send.ts'
import { createSettling, STORE_RETRY, type Unsettled } from './settling.ts'

/** Attempts under way at once in one process, over all lanes. */
const MOST_IN_FLIGHT = 1_000

/** How often things are done that are not told. */
export interface Pace {
  /** A worker's claims are good this long after its last sign of life: longer than any attempt. */
  lease: Millis
  signOfLife: Millis
  /** What other processes put into the table, and what crashed ones left, is found this soon. */
  look: Millis
}

export const PACE: Pace = { lease: DEADLINE + 10 * SECOND, signOfLife: 10 * SECOND, look: 2 * SECOND }

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
  pace?: Pace
  newWorkerId?: () => string
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
 * flight, or waiting to be settled. A crash leaves it claimed by a worker that gives no sign of life; a commit whose
 * answer was lost leaves it claimed by a worker that does not know of it. Both are found and freed, and it is sent
 * again with the same event id.
 */
export function createDeliveryWorker(deps: DeliveryWorkerDeps): DeliveryWorker {
  const { clock, store, send, log, shared, onAttempt, pace = PACE, newWorkerId } = deps
  const lanes = createLanes()
  /** Webhooks with due deliveries in the table, waiting for room in their lane. */
  const ready = new Set<Id<'webhook'>>()
  const claiming = new Set<Id<'webhook'>>()
  const alarm = createAlarm<Id<'webhook'>>(clock, (webhooks) => {
    for (const webhookId of webhooks) {
      ready.add(webhookId)
      refill(webhookId)
    }
  })
  const settling = createSettling({ clock, store, log, onSettled })
  const inHand = createInHand()
  const lease = createLease({ clock, store, duration: pace.lease, shared, newName: newWorkerId })
  let isRunning = false
  let rejoining = false
  let cancels: (() => void)[] = []
  const underWay = new Set<Promise<void>>()

  function notice(webhookId: Id<'webhook'>, dueAt: Millis): void {
    if (dueAt > clock.now()) {
      alarm.set(webhookId, dueAt)
    } else {
      ready.add(webhookId)
      refill(webhookId)
    }
  }

  /** Whether this process may claim and send; one whose lease has passed takes a new name first. */
  function mayWork(): boolean {
    if (!isRunning || rejoining) return false
    if (lease.isGood()) return true
    track(rejoin())
    return false
  }

  /** Claims what waits in the table for a lane that has room. */
  function refill(webhookId: Id<'webhook'>): void {
    if (!ready.has(webhookId) || claiming.has(webhookId) || !mayWork()) return
    if (lanes.wanted(webhookId) > 0) track(claim(webhookId))
  }

  /** Starts what may start. */
  function pump(): void {
    if (!mayWork()) return
    while (lanes.inFlight < MOST_IN_FLIGHT) {
      const job = lanes.next()
      if (job === undefined) break
      track(attempt(job, lease.name))
    }
  }

  function take(job: Job): void {
    if (inHand.take(job)) lanes.add(job)
  }

  async function claim(webhookId: Id<'webhook'>): Promise<void> {
    claiming.add(webhookId)
    ready.delete(webhookId)
    const claimer = lease.name
    try {
      const { jobs, nextDueAt } = await store.claim(claimer, webhookId, lanes.wanted(webhookId), clock.now())
      if (nextDueAt !== undefined) notice(webhookId, nextDueAt)
      if (claimer === lease.name && isRunning) for (const job of jobs) take(job)
      else if (jobs.length > 0) await store.release(claimer, jobs)
    } catch (error) {
      alarm.set(webhookId, clock.now() + STORE_RETRY)
      throw error
    } finally {
      claiming.delete(webhookId)
      refill(webhookId)
      pump()
    }
  }

  async function attempt(job: Job, claimer: string): Promise<void> {
    const target = await store.findTarget(job.webhookId, clock.now()).catch((error: unknown) => {
      log.error({ err: error }, 'delivery worker')
      return undefined
    })
    // Paused, deleted, or not to be read just now: it waits in the table until its webhook is heard of again.
    // Or the lease has passed meanwhile, and somebody else may be sending it.
    if (target === undefined || claimer !== lease.name || !mayWork()) return giveBack(job, claimer)
    const made = await makeAttempt(job, target, send, clock)
    if (made.settlement.attempt !== null) {
      onAttempt(made.settlement.attempt.outcome, made.settlement.attempt.sent.durationMs)
    }
    log.info(made.line, 'attempt')
    const { settlement, isWell } = made
    return settling.settle({ workerId: claimer, settlement, isWell, maxInFlight: target.maxInFlight })
  }

  async function giveBack(job: Job, claimer: string): Promise<void> {
    try {
      await store.release(claimer, [job])
    } finally {
      inHand.leave(job)
      lanes.done(job, undefined)
      pump()
    }
  }

  function onSettled(settled: Unsettled[]): void {
    for (const { settlement, isWell, maxInFlight } of settled) {
      inHand.leave(settlement.job)
      lanes.done(settlement.job, isWell, maxInFlight)
      if (settlement.dueAt !== null) notice(settlement.job.webhookId, settlement.dueAt)
      refill(settlement.job.webhookId)
    }
    pump()
  }

  function track(work: Promise<void>): void {
    const tracked: Promise<void> = work
      .catch((error: unknown) => log.error({ err: error }, 'delivery worker'))
      .finally(() => underWay.delete(tracked))
    underWay.add(tracked)
  }

  /** Life was interrupted for longer than the lease: what was claimed may be another's by now. */
  async function rejoin(): Promise<void> {
    if (rejoining) return
    rejoining = true
    try {
      lanes.clear()
      inHand.clear()
      await lease.join()
    } finally {
      rejoining = false
    }
    await look()
  }

  async function signOfLife(): Promise<void> {
    if (!(await lease.renew())) await rejoin()
  }

  let looking: Promise<void> | undefined
  let lookAgain = false

  /** One look at a time: two would take each other's deliveries for lost ones. */
  function look(): Promise<void> {
    if (looking !== undefined) {
      lookAgain = true
      return looking
    }
    looking = lookOnce().finally(() => {
      looking = undefined
      if (lookAgain && isRunning) track(look())
      lookAgain = false
    })
    return looking
  }

  /** Finds what crashed workers left, what other processes wrote, and what this one lost sight of. */
  async function lookOnce(): Promise<void> {
    if (!isRunning || rejoining) return
    await store.freeDead(lease.name, clock.now())
    await freeStrays()
    for (const { webhookId, dueAt } of await store.nextDue()) notice(webhookId, dueAt)
    // Memory that other lanes have freed meanwhile.
    for (const webhookId of ready) refill(webhookId)
    pump()
    while (isRunning) {
      const { webhooks } = await store.stepReplays(clock.now())
      if (webhooks.length === 0) return
      for (const webhookId of webhooks) notice(webhookId, clock.now())
      pump()
    }
  }

  async function freeStrays(): Promise<void> {
    const claimer = lease.name
    inHand.beginLook()
    const claimed = await store.claimedBy(claimer)
    if (claimer !== lease.name) return
    const strays = inHand.strays(claimed, clock.now())
    if (strays.length > 0)
      await store.release(
        claimer,
        strays.map((id) => ({ id })),
      )
  }

  return {
    // Where deliveries of a webhook wait in the table already, a new one takes its turn behind them.
    claimFor: (webhookId) =>
      isRunning &&
      !rejoining &&
      !ready.has(webhookId) &&
      !claiming.has(webhookId) &&
      lanes.hasRoom(webhookId) &&
      lease.isGood()
        ? lease.name
        : undefined,
    accept(fresh, unclaimed) {
      const now = clock.now()
      // What was claimed under an earlier name, or for a worker that has ended, is freed by whoever looks.
      if (isRunning) for (const { job, claimer } of fresh) if (claimer === lease.name) take(job)
      for (const webhookId of unclaimed) notice(webhookId, now)
      pump()
    },
    async start() {
      await lease.join()
      isRunning = true
      await look()
      cancels = [
        repeat(clock, pace.signOfLife, () => track(signOfLife())),
        repeat(clock, pace.look, () => track(look())),
        () => alarm.stop(),
      ]
    },
    async stop() {
      isRunning = false
      cancels.at(1)?.()
      lanes.clear()
      const tooLong = clock.after(DEADLINE + 5 * SECOND, settling.abandon)
      while (underWay.size > 0) await Promise.all(underWay)
      tooLong()
      for (const cancel of cancels) cancel()
      await store.leave(lease.name)
    },
    nudge(webhookId) {
      notice(webhookId, clock.now())
      pump()
    },
    look() {
      if (isRunning) track(look())
    },
    lag(now) {
      const due = Math.min(now, lanes.oldestDue() ?? now, alarm.next() ?? now)
      return Math.max(0, now - due)
    },
  }
}
