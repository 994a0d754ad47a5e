import { createAlarm } from '../../core/alarm.ts'
import { createBackgroundTasks } from '../../core/background-tasks.ts'
import { repeat, SECOND } from '../../core/clock.ts'
import { type Job, LAST_CALL, type Settlement } from '../job.ts'
import { type CircuitBreaker, circuitBreaker } from '../lanes/circuit-breaker.ts'
import { createLaneStates } from '../lanes/lane-states.ts'
import { createLanes } from '../lanes/lanes.ts'
import { PACE } from '../lease/lease.ts'
import { ALONE, createOwnership } from '../ownership/ownership.ts'
import { createAttempts } from './attempts.ts'
import { createClaimedJobs } from './claimed-jobs.ts'
import { createClaims } from './claims.ts'
import { createIntake } from './intake.ts'
import { createPoll } from './poll.ts'
import { createRelease } from './release.ts'
import { createSettling, type Settling } from './settling.ts'
import type { JobKind, JobWorker, WorkerDeps } from './worker.ts'

/** The parts of a worker that the simulator replaces by its own rules and time. */
interface WorkerParts<S> {
  rules: CircuitBreaker
  settling: Settling<S>
}

/** Makes the worker of a kind of job; it does nothing before `start`. */
export function createWorker<J extends Job, S extends Settlement<J>>(
  kind: JobKind<J, S>,
  deps: WorkerDeps,
): JobWorker<J> {
  const { clock, log, shared } = deps
  const { store, behalfOf } = kind
  return assembleWorker(kind, deps, {
    rules: circuitBreaker,
    settling: createSettling({ clock, store, log, isFar: shared, behalfOf }),
  })
}

/**
 * Joins the parts of a worker: committed → lane → attempt → settled, and again when a retry is due.
 *
 * A job is in exactly one place: unclaimed in the table, or claimed by one worker and then in its lane, in flight, or
 * waiting to be settled. After a crash it is claimed by a worker without heartbeat; after a commit whose answer was lost it is
 * claimed by a worker that does not know it. Polls find and free both, and the job is done again.
 */
export function assembleWorker<J extends Job, S extends Settlement<J>>(
  kind: JobKind<J, S>,
  deps: WorkerDeps,
  { rules, settling }: WorkerParts<S>,
): JobWorker<J> {
  const {
    clock,
    log,
    lease,
    shared,
    shares,
    notifyOwner = () => {},
    notifyWorkers = () => {},
    pace = PACE,
  } = deps
  const { store } = kind
  const { track, ended } = createBackgroundTasks(log, kind.name)

  // What the lease covers, and whether this worker may claim and begin attempts.
  const claimedJobs = createClaimedJobs<J>()
  let isRunning = false
  const mayWork = () => isRunning && lease.mayWork()

  // Ownership: the part of each lane that is this worker's.
  const isDivided = shared && store.ownership !== undefined
  const ownership = isDivided
    ? createOwnership({ clock, store: store.ownership, lease, claimedJobs, notifyWorkers })
    : ALONE

  // Lanes: which job is next, and when.
  const states = kind.lanes && createLaneStates<J>({ clock, store: kind.lanes, ownership, log })
  const dueAlarm = createAlarm<J['laneId']>(clock)
  /** For lanes whose jobs in memory wait for their rate. */
  const rateAlarm = createAlarm<J['laneId']>(clock)
  const lanes = createLanes<J>({
    ...{ states, shares, rules, ownership },
    onHeld: dueAlarm.set,
    onPaced: rateAlarm.set,
  })

  // Claims bring jobs from the table into lanes, attempts do the next job, settling writes its result.
  const claims = createClaims<J>({
    clock,
    store,
    lease,
    claimedJobs,
    ownership,
    lanes,
    alarm: dueAlarm,
    mayWork,
    track,
  })
  const release = createRelease<J>(store, claimedJobs)
  const attempts = createAttempts({
    ...{ clock, kind, lease, claimedJobs, lanes, claims, settling, release, mayWork, log },
  })
  /** Jobs that come due for the last time before their horizon; each due time has an entry, because a job may become due again later. */
  const lastCallAlarm = createAlarm<Pick<J, 'id' | 'laneId'>>(clock)

  /** Begins attempts while jobs may begin. */
  function pump(): void {
    if (!mayWork()) return
    for (let job = lanes.next(clock.now()); job !== undefined; job = lanes.next(clock.now()))
      track(attempts.make(job))
  }

  function take(job: J): void {
    if (!claimedJobs.take(job)) return
    if (claims.takeUrgent(job.id)) job.isUrgent = true
    lanes.add(job, clock.now())
  }

  function notifyOtherOwner(laneId: J['laneId']): void {
    if (!ownership.isOwner(laneId)) notifyOwner(laneId)
  }

  /** Releases the jobs of a parked lane except its next probe, and all jobs of a lane that only other workers may send from. */
  function giveBackExcess(laneId: J['laneId']): void {
    const jobs = lanes.takeExcess(laneId)
    if (jobs.length === 0) return
    const given = release(jobs, lease.name).then(() => notifyOtherOwner(laneId))
    track(claims.hold(laneId, given))
  }

  /** Gives back jobs that other workers are to send, and notifies their owners. */
  function giveBackOthers(jobs: J[]): void {
    if (jobs.length === 0) return
    const some = new Set(jobs.map(({ laneId }) => laneId))
    track(release(jobs, lease.name).then(() => some.forEach(notifyOtherOwner)))
  }

  async function saveStates(): Promise<void> {
    await states?.save()
    giveBackOthers(lanes.takeOthers())
  }

  const poll = createPoll<J>({
    ...{ clock, store, lease, claimedJobs, ownership, claims, track },
    mayPoll: mayWork,
    waiting: lanes.queued,
    drop(ids) {
      for (const job of lanes.takeNamed(ids)) claimedJobs.leave(job)
    },
    async afterPoll(now) {
      const some = await kind.afterPoll(now)
      some.forEach(notifyOtherOwner)
      return some
    },
    resume() {
      // Other lanes may have freed memory, and a clock that was set back moves moments for which lanes wait.
      lanes.wake(clock.now())
      claims.refillAll()
      pump()
    },
  })
  const intake = createIntake<J>({
    ...{ clock, lease, lanes, claims, ownership, take, giveBackExcess, pump, notifyOwner },
    isRunning: () => isRunning,
    hasSeenAll: poll.hasSeenAll,
    // Several processes may add jobs to a lane that takes one at a time, so the table keeps their order.
    isOrdered: ({ cap }) => isDivided && cap === 1,
  })

  lease.listen({
    onLost() {
      lanes.takeAll()
      claimedJobs.clear()
      ownership.reset()
    },
    onRegained() {
      if (isRunning) track(poll.now())
    },
  })
  ownership.listen(({ wasOwner, isGrown }) => {
    lanes.forget((laneId) => wasOwner(laneId) && !ownership.isOwner(laneId), clock.now())
    giveBackOthers(lanes.takeOthers())
    if (!isGrown) return
    if (states !== undefined) track(states.load())
    lanes.wake(clock.now())
    intake.tryExpected()
    if (isRunning) track(poll.now())
  })
  dueAlarm.listen((some) => {
    lanes.wake(clock.now(), some)
    claims.wake(some)
    pump()
  })
  // In a parked lane such a job may come due during a pause that ends after its horizon, while another job is the next probe.
  lastCallAlarm.listen((jobs) => {
    for (const { laneId, id } of jobs) if (lanes.isParked(laneId)) claims.claimUrgent(laneId, id)
  })
  rateAlarm.listen((some) => {
    lanes.wake(clock.now(), some)
    pump()
  })
  claims.listen({
    onClaimed: (jobs) => jobs.forEach(take),
    onEnded(some) {
      for (const laneId of some) {
        giveBackExcess(laneId)
        claims.refill(laneId)
      }
      pump()
    },
  })
  attempts.listen(pump)
  settling.listen((settled) => {
    for (const { settlement, learnt } of settled) {
      const { job, dueAt } = settlement
      const { laneId, organizationId } = job
      const wasParked = lanes.isParked(laneId)
      claimedJobs.leave(job)
      lanes.done(job, { ...learnt, isPending: dueAt !== null }, clock.now())
      if (lanes.isParked(laneId) !== wasParked)
        log.info({ [kind.laneName]: laneId }, wasParked ? 'lane opened' : 'lane parked')
      giveBackExcess(laneId)
      if (dueAt !== null) {
        if (job.horizon - dueAt <= LAST_CALL) lastCallAlarm.set({ id: job.id, laneId }, dueAt)
        claims.notice({ laneId, organizationId, dueAt })
        notifyOtherOwner(laneId)
      }
      claims.refill(laneId)
    }
    ownership.noteEnd()
    pump()
  })

  let cancelPoll = () => {}
  let cancelSaving = () => {}
  let isOver = false

  return {
    claimFor: intake.claimFor,
    accept: intake.accept,
    async start() {
      isRunning = true
      cancelPoll = repeat(clock, pace.poll, () => track(poll.regularly()))
      cancelSaving = repeat(clock, pace.heartbeat, () => track(saveStates()))
      if (states !== undefined) track(states.load())
      notifyWorkers()
      // The start does not wait for the poll, which takes long with a slow store or a large backlog.
      track(poll.now())
    },
    async stop() {
      isRunning = false
      cancelPoll()
      poll.stop()
      track(release(lanes.takeAll(), lease.name).then(notifyWorkers))
      track(ownership.retire())
      const tooLong = clock.after(kind.longest + 5 * SECOND, settling.abandon)
      await ended()
      tooLong()
      await states?.save()
      cancelSaving()
      for (const alarm of [dueAlarm, rateAlarm, lastCallAlarm]) alarm.stop()
      states?.stop()
      isOver = true
      await store.giveUp(lease.name)
      await ownership.stop()
      notifyWorkers()
    },
    isOwner: (laneId) => ownership.isOwner(laneId),
    load: () => lanes.load(clock.now()),
    workers: () => ownership.workers,
    agree() {
      // A stopping worker agrees with the others until it has left.
      if (!isOver) track(ownership.agree())
    },
    wake(laneId) {
      claims.wake([laneId])
      pump()
    },
    arrived(laneId) {
      claims.arrived([laneId])
      pump()
    },
    poll() {
      if (isRunning) track(poll.now())
    },
    tryNow: intake.tryNow,
    lag(now) {
      const due = Math.min(now, lanes.oldestDue() ?? now, dueAlarm.next() ?? now)
      return Math.max(0, now - due)
    },
  }
}
