import { repeat, SECOND } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { DEADLINE } from '../attempt/send.ts'
import type { ActiveTarget } from '../attempt/targets.ts'
import type { Job } from '../store/job.ts'
import { createLanes } from '../turns/lanes.ts'
import { createPlaces } from '../turns/places.ts'
import { createRoom, LIMITS } from '../turns/room.ts'
import { createAlarm } from './alarm.ts'
import { createClaims } from './claims.ts'
import { createInHand } from './in-hand.ts'
import { createLastCalls } from './last-calls.ts'
import { createLease } from './lease.ts'
import { makeAttempt } from './make-attempt.ts'
import { createLook } from './poll.ts'
import { createReturns } from './releases.ts'
import { createSettling, type Unsettled } from './settling.ts'
import { type DeliveryWorker, type DeliveryWorkerDeps, PACE } from './worker-deps.ts'

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
  const limits = { ...LIMITS, ...deps.limits }
  const lanes = createLanes({
    onHeld: (webhookId, until) => alarm.set(webhookId, until),
    places: deps.places ?? createPlaces(limits.places, deps.share),
    room: createRoom(limits, deps.share),
    rules,
  })
  const alarm = createAlarm<Id<'webhook'>>(clock, (webhooks) => {
    lanes.wake(clock.now(), webhooks)
    claims.nudge(webhooks)
    pump()
  })
  const lastCalls = createLastCalls(clock, (webhookId, id) => {
    if (lanes.isParked(webhookId)) claims.first(id)
  })
  const settling = createSettling({ clock, store, log, onSettled })
  const inHand = createInHand()
  const lease = createLease({ clock, store, duration: pace.lease, shared, newName: newWorkerId })
  const release = createReturns(store)
  const claims = createClaims({
    clock,
    store,
    lease,
    lanes,
    alarm,
    mayWork,
    onClaimed: (jobs) => jobs.forEach(take),
    onEnded(webhooks) {
      for (const webhookId of webhooks) {
        shed(webhookId)
        claims.refill(webhookId)
      }
      pump()
    },
    track,
  })
  let isRunning = false
  let rejoining = false
  let cancels: (() => void)[] = []
  const underWay = new Set<Promise<void>>()
  /** Results on their way into the table, and the names under which they came to be. */
  const results = new Map<Promise<void>, string>()
  const look = createLook({
    clock,
    store,
    lease,
    inHand,
    claims,
    mayLook: mayWork,
    waiting: lanes.waiting,
    drop(ids) {
      for (const job of lanes.drop(ids)) inHand.leave(job)
    },
    lapsedAreIn,
    moveOn,
    track,
  })

  /** Whether this process may claim and send; one whose lease has passed takes a new name first. */
  function mayWork(): boolean {
    if (!isRunning || rejoining) return false
    if (lease.isGood()) return true
    track(rejoin())
    return false
  }

  /** Starts what may start. */
  function pump(): void {
    if (!mayWork()) return
    for (let job = lanes.next(clock.now()); job !== undefined; job = lanes.next(clock.now()))
      track(attempt(job, lease.name))
  }

  function take(job: Job): void {
    if (!inHand.take(job)) return
    if (claims.isFirst(job.id)) lanes.addFirst(job, clock.now())
    else lanes.add(job, clock.now())
  }

  async function attempt(job: Job, claimer: string): Promise<void> {
    const found = await find(job).catch((error: unknown) => {
      log.error({ err: error }, 'delivery worker')
      return 'unknown' as const
    })
    const isOurs = claimer === lease.name && mayWork()
    if (found === 'unknown' && isOurs) return lanes.stall(job, clock.now())
    // Paused or deleted: it waits in the table. Or the lease has passed, and somebody else may be sending it.
    if (found === undefined || found === 'unknown' || !isOurs) {
      return giveBack([job], claimer).finally(() => {
        lanes.done(job, { isWell: undefined, goesOn: true }, clock.now())
        pump()
      })
    }
    const { target, body } = found
    const made = await makeAttempt(job, body, target, send, clock)
    // What waits to be settled needs no body.
    job.body = undefined
    const { attempt: done } = made.settlement
    if (done) onAttempt(done.outcome, done.sent.durationMs, Math.max(0, done.startedAt - job.dueAt))
    log.info(made.line, 'attempt')
    const { settlement, isWell } = made
    const { maxInFlight } = target
    const result = settling.settle({ workerId: claimer, settlement, isWell, maxInFlight })
    results.set(result, claimer)
    return result.finally(() => results.delete(result))
  }

  /** Where a delivery goes, and what; undefined when one of them is gone. */
  async function find(job: Job): Promise<{ target: ActiveTarget; body: Uint8Array } | undefined> {
    const body = job.body ?? (await store.findBody(job.eventId))
    if (body === undefined) return undefined
    // Last of all: between this answer and the call nobody may pause the webhook.
    const target = await store.findTarget(job.webhookId, clock.now())
    return target && { target, body }
  }

  async function giveBack(jobs: Job[], claimer: string): Promise<void> {
    try {
      await release(jobs, claimer)
    } finally {
      for (const job of jobs) inHand.leave(job)
    }
  }

  /** What a parked lane holds in memory beyond one delivery waits in the table. */
  function shed(webhookId: Id<'webhook'>): void {
    const jobs = lanes.unload(webhookId)
    if (jobs.length === 0) return
    track(giveBack(jobs, lease.name).finally(() => claims.nudge([webhookId])))
  }

  function onSettled(settled: Unsettled[]): void {
    for (const { settlement, isWell, maxInFlight } of settled) {
      const { job, attempt, status, dueAt } = settlement
      const { webhookId, organizationId } = job
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
      if (dueAt !== null) claims.notice({ webhookId, organizationId, dueAt })
      claims.refill(webhookId)
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
    await look.now()
  }

  /**
   * Of what nobody has taken since a lease lapsed the results still count: freed before they are in, it would be sent again.
   * They come in whenever its attempts end.
   */
  async function lapsedAreIn(): Promise<void> {
    const lapsed = () =>
      [...results].filter(([, claimer]) => claimer !== lease.name).map(([result]) => result)
    for (let left = lapsed(); left.length > 0; left = lapsed()) await Promise.allSettled(left)
  }

  async function signOfLife(): Promise<void> {
    if (!(await lease.renew())) await rejoin()
  }

  function moveOn(): void {
    // Memory that other lanes have freed meanwhile, and moments that a clock which was set back has moved.
    lanes.wake(clock.now())
    claims.refillAll()
    pump()
  }

  return {
    // Where deliveries of a webhook wait in the table already, a new one takes its turn behind them. Before the first look
    // nobody knows whether any do.
    claimFor: (webhook) =>
      isRunning &&
      !rejoining &&
      look.hasSeenAll() &&
      !claims.isBehind(webhook.webhookId) &&
      lanes.hasRoom(webhook) &&
      lease.isGood()
        ? lease.name
        : undefined,
    accept(fresh, unclaimed) {
      // What was claimed under an earlier name, or for a worker that has ended, is freed by whoever looks.
      if (isRunning) for (const { job, claimer } of fresh) if (claimer === lease.name) take(job)
      claims.nudge([...unclaimed])
      for (const { job } of fresh) shed(job.webhookId)
      pump()
    },
    async start() {
      await lease.join()
      isRunning = true
      cancels = [
        repeat(clock, pace.signOfLife, () => track(signOfLife())),
        repeat(clock, pace.look, () => track(look.now())),
        () => alarm.stop(),
        () => lastCalls.stop(),
      ]
      // Nobody waits for it: however much has been left, and however slow the store is, the process has started.
      track(look.now())
    },
    async stop() {
      isRunning = false
      cancels.at(1)?.()
      track(release(lanes.clear(), lease.name).then(onGivenBack))
      const tooLong = clock.after(DEADLINE + 5 * SECOND, settling.abandon)
      while (underWay.size > 0) await Promise.all(underWay)
      tooLong()
      for (const cancel of cancels) cancel()
      await store.leave(lease.name)
    },
    nudge(webhookId) {
      claims.nudge([webhookId])
      pump()
    },
    look() {
      if (isRunning) track(look.now())
    },
    hurry(webhookId, first) {
      lanes.hurry(webhookId, first, clock.now())
      if (first !== undefined) claims.first(first)
      claims.nudge([webhookId])
      pump()
    },
    lag(now) {
      const due = Math.min(now, lanes.oldestDue() ?? now, alarm.next() ?? now)
      return Math.max(0, now - due)
    },
  }
}
