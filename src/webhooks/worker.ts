import { type Millis, repeat, SECOND } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import { createAlarm } from './alarm.ts'
import { makeAttempt } from './attempt.ts'
import type { Job } from './deliveries.ts'
import { type DeliveryWorker, type DeliveryWorkerDeps, PACE } from './engine.ts'
import { createInHand } from './in-hand.ts'
import { createLanes } from './lanes.ts'
import { createLastCalls } from './last-calls.ts'
import { createLease } from './lease.ts'
import { createLook } from './look.ts'
import { DEADLINE } from './send.ts'
import { createSettling, STORE_RETRY, type Unsettled } from './settling.ts'

/**
 * accepted → lane → attempt → settled, and again when a retry is due.
 *
 * A delivery is in exactly one place: unclaimed in the table, or claimed by one worker and then in its lane, in
 * flight, or waiting to be settled. A crash leaves it claimed by a worker that gives no sign of life; a commit whose
 * answer was lost leaves it claimed by a worker that does not know of it. Both are found and freed, and it is sent
 * again with the same event id.
 */
export function createDeliveryWorker(deps: DeliveryWorkerDeps): DeliveryWorker {
  const { clock, store, send, log, shared, onAttempt, onGivenBack, pace = PACE, rules, newWorkerId } = deps
  const lanes = createLanes((webhookId, until) => alarm.set(webhookId, until), rules)
  /** Webhooks with due deliveries in the table, waiting for room in their lane. */
  const ready = new Set<Id<'webhook'>>()
  const claiming = new Set<Id<'webhook'>>()
  /** Deliveries that go before all others of their webhook once they are claimed. */
  const urgent = new Set<Id<'delivery'>>()
  const alarm = createAlarm<Id<'webhook'>>(clock, (webhooks) => {
    lanes.wake(clock.now(), webhooks)
    for (const webhookId of webhooks) {
      ready.add(webhookId)
      refill(webhookId)
    }
    pump()
  })
  const lastCalls = createLastCalls(clock, (webhookId, id) => {
    if (lanes.isParked(webhookId) && mayWork()) track(claimFirst(webhookId, id))
  })
  const settling = createSettling({ clock, store, log, onSettled })
  const inHand = createInHand()
  const lease = createLease({ clock, store, duration: pace.lease, shared, newName: newWorkerId })
  let isRunning = false
  let rejoining = false
  let cancels: (() => void)[] = []
  const underWay = new Set<Promise<void>>()
  /** Results on their way into the table. */
  const results = new Set<Promise<void>>()
  const look = createLook({
    clock,
    store,
    lease,
    inHand,
    // Without a good name of its own it would free what it has results of.
    mayLook: mayWork,
    notice,
    moveOn,
    track,
  })

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
    for (let job = lanes.next(clock.now()); job !== undefined; job = lanes.next(clock.now()))
      track(attempt(job, lease.name))
  }

  function take(job: Job): void {
    if (!inHand.take(job)) return
    if (urgent.delete(job.id)) lanes.addFirst(job, clock.now())
    else lanes.add(job, clock.now())
  }

  async function claim(webhookId: Id<'webhook'>): Promise<void> {
    claiming.add(webhookId)
    ready.delete(webhookId)
    const claimer = lease.name
    try {
      const { jobs, nextDueAt } = await store.claim(claimer, webhookId, clock.now(), {
        limit: lanes.wanted(webhookId),
        order: lanes.isParked(webhookId) ? 'probe' : 'due',
      })
      if (nextDueAt !== undefined) notice(webhookId, nextDueAt)
      if (claimer === lease.name && isRunning) for (const job of jobs) take(job)
      else if (jobs.length > 0) await store.release(claimer, jobs)
    } catch (error) {
      alarm.set(webhookId, clock.now() + STORE_RETRY)
      throw error
    } finally {
      claiming.delete(webhookId)
      shed(webhookId)
      refill(webhookId)
      pump()
    }
  }

  /** Claims one delivery, whatever is before it; another claim that is under way may have been faster. */
  async function claimFirst(webhookId: Id<'webhook'>, only: Id<'delivery'>): Promise<void> {
    const claimer = lease.name
    urgent.add(only)
    const { jobs } = await store.claim(claimer, webhookId, clock.now(), { limit: 1, only })
    if (jobs.length === 0) return
    if (claimer !== lease.name || !isRunning) return store.release(claimer, jobs)
    urgent.add(only)
    for (const job of jobs) take(job)
    pump()
  }

  async function attempt(job: Job, claimer: string): Promise<void> {
    const target = await store.findTarget(job.webhookId, clock.now()).catch((error: unknown) => {
      log.error({ err: error }, 'delivery worker')
      return 'unknown' as const
    })
    const isOurs = claimer === lease.name && mayWork()
    if (target === 'unknown' && isOurs) return lanes.stall(job, clock.now())
    // Paused or deleted: it waits in the table. Or the lease has passed, and somebody else may be sending it.
    if (target === undefined || target === 'unknown' || !isOurs) {
      return giveBack([job], claimer).finally(() => {
        lanes.done(job, { isWell: undefined, goesOn: true }, clock.now())
        pump()
      })
    }
    const made = await makeAttempt(job, target, send, clock)
    const { attempt: done } = made.settlement
    if (done) onAttempt(done.outcome, done.sent.durationMs, Math.max(0, done.startedAt - job.dueAt))
    log.info(made.line, 'attempt')
    const { settlement, isWell } = made
    const { maxInFlight } = target
    const result = settling.settle({ workerId: claimer, settlement, isWell, maxInFlight })
    results.add(result)
    return result.finally(() => results.delete(result))
  }

  async function giveBack(jobs: Job[], claimer: string): Promise<void> {
    try {
      await store.release(claimer, jobs)
    } finally {
      for (const job of jobs) inHand.leave(job)
    }
  }

  /** What a parked lane holds in memory beyond one delivery waits in the table. */
  function shed(webhookId: Id<'webhook'>): void {
    const jobs = lanes.unload(webhookId)
    if (jobs.length === 0) return
    track(giveBack(jobs, lease.name).finally(() => notice(webhookId, clock.now())))
  }

  function onSettled(settled: Unsettled[]): void {
    for (const { settlement, isWell, maxInFlight } of settled) {
      const { job, attempt, status, dueAt } = settlement
      const { webhookId } = job
      const wasParked = lanes.isParked(webhookId)
      inHand.leave(job)
      const ending = {
        isWell: attempt === null ? undefined : isWell,
        goesOn: status === 'pending',
        cap: maxInFlight,
      }
      lanes.done(job, ending, clock.now())
      if (lanes.isParked(webhookId) !== wasParked)
        log.info({ webhookId }, wasParked ? 'lane goes on' : 'lane parked')
      shed(webhookId)
      lastCalls.note(settlement)
      if (dueAt !== null) notice(webhookId, dueAt)
      refill(webhookId)
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
      // Of what nobody has taken meanwhile the results still count; freed before they are in, it would be sent again.
      while (results.size > 0) await Promise.allSettled(results)
    } finally {
      rejoining = false
    }
    await look()
  }

  async function signOfLife(): Promise<void> {
    if (!(await lease.renew())) await rejoin()
  }

  function moveOn(): void {
    // Memory that other lanes have freed meanwhile, and moments that a clock which was set back has moved.
    lanes.wake(clock.now())
    for (const webhookId of ready) refill(webhookId)
    if (claiming.size === 0) urgent.clear()
    pump()
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
      for (const { job } of fresh) shed(job.webhookId)
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
        () => lastCalls.stop(),
      ]
    },
    async stop() {
      isRunning = false
      cancels.at(1)?.()
      track(store.release(lease.name, lanes.clear()).then(onGivenBack))
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
    hurry(webhookId, first) {
      lanes.hurry(webhookId, first, clock.now())
      if (first !== undefined && mayWork()) track(claimFirst(webhookId, first))
      notice(webhookId, clock.now())
      pump()
    },
    lag(now) {
      const due = Math.min(now, lanes.oldestDue() ?? now, alarm.next() ?? now)
      return Math.max(0, now - due)
    },
  }
}
