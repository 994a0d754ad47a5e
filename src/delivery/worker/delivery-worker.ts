import { repeat, SECOND } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { createLanes } from '../../jobs/turns/lanes.ts'
import { createPlaces } from '../../jobs/turns/places.ts'
import { createRoom, LIMITS } from '../../jobs/turns/room.ts'
import { createAlarm } from '../../jobs/worker/alarm.ts'
import { createClaims } from '../../jobs/worker/claims.ts'
import { createInHand } from '../../jobs/worker/in-hand.ts'
import { createLastCalls } from '../../jobs/worker/last-calls.ts'
import { createLease } from '../../jobs/worker/lease.ts'
import { createPoll } from '../../jobs/worker/poll.ts'
import { createRelease } from '../../jobs/worker/releases.ts'
import { createSettling, type Unsettled } from '../../jobs/worker/settling.ts'
import { DEADLINE } from '../attempt/send.ts'
import type { ActiveTarget } from '../attempt/targets.ts'
import type { DeliveryJob, DeliverySettlement } from '../store/job.ts'
import { makeAttempt } from './make-attempt.ts'
import { type DeliveryWorker, type DeliveryWorkerDeps, PACE } from './worker-deps.ts'

/**
 * accepted → lane → attempt → settled, and again when a retry is due.
 *
 * A delivery is in exactly one place: unclaimed in the table, or claimed by one worker and then in its lane, in
 * flight, or waiting to be settled. A crash leaves it claimed by a worker that sends no heartbeat; a commit whose
 * answer was lost leaves it claimed by a worker that does not know of it. Both are found and freed, and it is sent
 * again with the same event id.
 */
export function createDeliveryWorker(deps: DeliveryWorkerDeps): DeliveryWorker {
  const { clock, store, send, log, shared, onAttempt, onGivenBack, pace = PACE, rules, newWorkerId } = deps
  const limits = { ...LIMITS, ...deps.limits }
  const lanes = createLanes<DeliveryJob>({
    onHeld: (webhookId, until) => alarm.set(webhookId, until),
    places: deps.places ?? createPlaces({ longest: DEADLINE, most: limits.places, rule: deps.share }),
    room: createRoom(limits, deps.share),
    rules,
  })
  const alarm = createAlarm<Id<'webhook'>>(clock, (webhooks) => {
    lanes.wake(clock.now(), webhooks)
    claims.nudge(webhooks)
    pump()
  })
  const lastCalls = createLastCalls<DeliveryJob>(clock, (webhookId, id) => {
    if (lanes.isParked(webhookId)) claims.first(id)
  })
  const settling = createSettling<DeliverySettlement>({ clock, store, log, onSettled })
  const inHand = createInHand<DeliveryJob>()
  const lease = createLease({ clock, store, duration: pace.lease, shared, newName: newWorkerId })
  const release = createRelease<DeliveryJob>(store)
  const claims = createClaims<DeliveryJob>({
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
  const poll = createPoll({
    clock,
    store,
    lease,
    inHand,
    claims,
    mayPoll: mayWork,
    waiting: lanes.waiting,
    drop(ids) {
      for (const job of lanes.drop(ids)) inHand.leave(job)
    },
    lapsedAreIn,
    makeMore: async (now) => (await store.stepReplays(now)).webhooks,
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

  function take(job: DeliveryJob): void {
    if (!inHand.take(job)) return
    if (claims.isFirst(job.id)) lanes.addFirst(job, clock.now())
    else lanes.add(job, clock.now())
  }

  async function attempt(job: DeliveryJob, claimer: string): Promise<void> {
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
    const { maxInFlight: cap } = target
    const result = settling.settle({ workerId: claimer, settlement, isWell, cap })
    results.set(result, claimer)
    return result.finally(() => results.delete(result))
  }

  /** Where a delivery goes, and what; undefined when one of them is gone. */
  async function find(job: DeliveryJob): Promise<{ target: ActiveTarget; body: Uint8Array } | undefined> {
    const body = job.body ?? (await store.findBody(job.eventId))
    if (body === undefined) return undefined
    // Last of all: between this answer and the call nobody may pause the webhook.
    const target = await store.findTarget(job.laneId, clock.now())
    return target && { target, body }
  }

  async function giveBack(jobs: DeliveryJob[], claimer: string): Promise<void> {
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

  function onSettled(settled: Unsettled<DeliverySettlement>[]): void {
    for (const { settlement, isWell, cap } of settled) {
      const { job, attempt, status, dueAt } = settlement
      const { laneId: webhookId, organizationId } = job
      const wasParked = lanes.isParked(webhookId)
      inHand.leave(job)
      const ending = {
        isWell: attempt === null ? undefined : isWell,
        goesOn: status === 'pending',
        cap,
      }
      lanes.done(job, ending, clock.now())
      if (lanes.isParked(webhookId) !== wasParked)
        log.info({ webhookId }, wasParked ? 'lane opened' : 'lane parked')
      shed(webhookId)
      lastCalls.note(settlement)
      if (dueAt !== null) claims.notice({ laneId: webhookId, organizationId, dueAt })
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
    await poll.now()
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

  async function heartbeat(): Promise<void> {
    if (!(await lease.renew())) await rejoin()
  }

  function moveOn(): void {
    // Memory that other lanes have freed meanwhile, and moments that a clock which was set back has moved.
    lanes.wake(clock.now())
    claims.refillAll()
    pump()
  }

  return {
    // Where deliveries of a webhook wait in the table already, a new one takes its turn behind them. Before the first poll
    // nobody knows whether any do.
    claimFor: (webhook) =>
      isRunning &&
      !rejoining &&
      poll.hasSeenAll() &&
      !claims.isBehind(webhook.laneId) &&
      lanes.hasRoom(webhook) &&
      lease.isGood()
        ? lease.name
        : undefined,
    accept(fresh, unclaimed) {
      // What was claimed under an earlier name, or for a worker that has ended, is freed by whoever polls.
      if (isRunning) for (const { job, claimer } of fresh) if (claimer === lease.name) take(job)
      claims.nudge([...unclaimed])
      for (const { job } of fresh) shed(job.laneId)
      pump()
    },
    async start() {
      await lease.join()
      isRunning = true
      cancels = [
        repeat(clock, pace.heartbeat, () => track(heartbeat())),
        repeat(clock, pace.poll, () => track(poll.now())),
        () => alarm.stop(),
        () => lastCalls.stop(),
      ]
      // Nobody waits for it: however much has been left, and however slow the store is, the process has started.
      track(poll.now())
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
    poll() {
      if (isRunning) track(poll.now())
    },
    tryNow(webhookId, first) {
      lanes.tryNow(webhookId, first, clock.now())
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
