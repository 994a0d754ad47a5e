import { repeat, SECOND } from '../../core/clock.ts'
import type { Job, Settlement } from '../job.ts'
import { createLaneMemory } from '../turns/lane-memory.ts'
import { createLanes } from '../turns/lanes.ts'
import { createPlaces } from '../turns/places.ts'
import { createRoom, LIMITS } from '../turns/room.ts'
import { createAlarm } from './alarm.ts'
import { createAttempts } from './attempts.ts'
import { createClaims } from './claims.ts'
import { createInHand } from './in-hand.ts'
import { type JobKind, paceFor } from './job-kind.ts'
import { createLastCalls } from './last-calls.ts'
import { createLease } from './lease.ts'
import { createPoll } from './poll.ts'
import { createRelease } from './releases.ts'
import { createRememberLanes } from './remember-lanes.ts'
import { createSettling, type Unsettled } from './settling.ts'
import { createStanding } from './standing.ts'
import { createUnderWay } from './under-way.ts'
import type { JobWorker, WorkerDeps } from './worker.ts'

/**
 * committed → lane → attempt → settled, and again when a retry is due.
 *
 * A job is in exactly one place: unclaimed in the table, or claimed by one worker and then in its lane, in flight, or
 * waiting to be settled. A crash leaves it claimed by a worker that sends no heartbeat; a commit whose answer was lost
 * leaves it claimed by a worker that does not know of it. Both are found and freed, and it is done again.
 */
export function createWorker<J extends Job, S extends Settlement<J>>(
  kind: JobKind<J, S>,
  deps: WorkerDeps,
): JobWorker<J> {
  const { clock, log, shared, onGivenBack, pace = paceFor(kind.longest), rules, share } = deps
  const { store } = kind
  const limits = { ...LIMITS, ...deps.limits }
  const { track, ended } = createUnderWay(log, kind.name)
  const memory = createLaneMemory<J>()
  const remembered = createRememberLanes({ clock, store: kind.lanes, memory, log })
  const lanes = createLanes<J>({
    onHeld: (laneId, until) => alarm.set(laneId, until),
    onPaced: (laneId, until) => metronome.set(laneId, until),
    memory,
    places: deps.places ?? createPlaces({ longest: kind.longest, most: limits.places, rule: share }),
    room: createRoom(limits, share),
    rules,
  })
  const alarm = createAlarm<J['laneId']>(clock, (some) => {
    lanes.wake(clock.now(), some)
    claims.nudge(some)
    pump()
  })
  /** Nothing waits in the table for these moments: they are only about what lanes have in memory. */
  const metronome = createAlarm<J['laneId']>(clock, (some) => {
    lanes.wake(clock.now(), some)
    pump()
  })
  const lastCalls = createLastCalls<J>(clock, (laneId, id) => {
    if (lanes.isParked(laneId)) claims.first(id)
  })
  const inHand = createInHand<J>()
  const lease = createLease({ clock, store, duration: pace.lease, shared, newName: deps.newWorkerId })
  const standing = createStanding({
    lease,
    forget() {
      lanes.clear()
      inHand.clear()
    },
    onRejoined: () => poll.now(),
    track,
  })
  const { mayWork } = standing
  const release = createRelease<J>(store)
  const settling = createSettling<S>({ clock, store, log, onSettled })
  const attempts = createAttempts({
    ...{ clock, kind, lease, lanes, inHand, settling, release, mayWork, log },
    onFree: pump,
  })
  const claims = createClaims<J>({
    ...{ clock, store, lease, lanes, alarm, mayWork, track },
    onClaimed: (jobs) => jobs.forEach(take),
    onEnded(some) {
      for (const laneId of some) {
        shed(laneId)
        claims.refill(laneId)
      }
      pump()
    },
  })
  const poll = createPoll<J>({
    ...{ clock, store, lease, inHand, claims, track },
    mayPoll: mayWork,
    waiting: lanes.waiting,
    drop(ids) {
      for (const job of lanes.drop(ids)) inHand.leave(job)
    },
    lapsedAreIn: attempts.lapsedAreIn,
    makeMore: kind.makeMore,
    moveOn() {
      // Memory that other lanes have freed meanwhile, and moments that a clock which was set back has moved.
      lanes.wake(clock.now())
      claims.refillAll()
      pump()
    },
  })
  let cancels: (() => void)[] = []

  /** Starts what may start. */
  function pump(): void {
    if (!mayWork()) return
    for (let job = lanes.next(clock.now()); job !== undefined; job = lanes.next(clock.now()))
      track(attempts.make(job))
  }

  function take(job: J): void {
    if (!inHand.take(job)) return
    if (claims.isFirst(job.id)) lanes.addFirst(job, clock.now())
    else lanes.add(job, clock.now())
  }

  /** What a parked lane holds in memory beyond one job waits in the table. */
  function shed(laneId: J['laneId']): void {
    const jobs = lanes.unload(laneId)
    if (jobs.length === 0) return
    track(attempts.giveBack(jobs, lease.name).finally(() => claims.nudge([laneId])))
  }

  function onSettled(settled: Unsettled<S>[]): void {
    for (const { settlement, learnt } of settled) {
      const { job, dueAt } = settlement
      const { laneId, organizationId } = job
      const wasParked = lanes.isParked(laneId)
      inHand.leave(job)
      lanes.done(job, { ...learnt, isPending: dueAt !== null }, clock.now())
      if (lanes.isParked(laneId) !== wasParked)
        log.info({ [kind.laneName]: laneId }, wasParked ? 'lane opened' : 'lane parked')
      shed(laneId)
      lastCalls.note(settlement)
      if (dueAt !== null) claims.notice({ laneId, organizationId, dueAt })
      claims.refill(laneId)
    }
    pump()
  }

  return {
    // Where jobs of a lane wait in the table already, a new one takes its turn behind them. Before the first poll nobody
    // knows whether any do.
    claimFor: (lane) =>
      poll.hasSeenAll() && !claims.isBehind(lane.laneId) && lanes.hasRoom(lane) && standing.isGood()
        ? lease.name
        : undefined,
    accept(fresh, unclaimed) {
      // What was claimed under an earlier name, or for a worker that has ended, is freed by whoever polls.
      if (standing.isRunning) for (const { job, claimer } of fresh) if (claimer === lease.name) take(job)
      claims.nudge([...unclaimed])
      for (const { job } of fresh) shed(job.laneId)
      pump()
    },
    async start() {
      await standing.start()
      cancels = [
        repeat(clock, pace.poll, () => track(poll.now())),
        repeat(clock, pace.heartbeat, () => track(standing.heartbeat())),
        repeat(clock, pace.heartbeat, () => track(remembered.save())),
        () => alarm.stop(),
        () => metronome.stop(),
        () => lastCalls.stop(),
      ]
      track(remembered.load())
      // Nobody waits for it: however much has been left, and however slow the store is, the process has started.
      track(poll.now())
    },
    async stop() {
      standing.stop()
      cancels.at(0)?.()
      poll.stop()
      track(release(lanes.clear(), lease.name).then(onGivenBack))
      const tooLong = clock.after(kind.longest + 5 * SECOND, settling.abandon)
      await ended()
      tooLong()
      await remembered.save()
      for (const cancel of cancels) cancel()
      await store.leave(lease.name)
    },
    nudge(laneId) {
      claims.nudge([laneId])
      pump()
    },
    poll() {
      if (standing.isRunning) track(poll.now())
    },
    tryNow(laneId, first) {
      lanes.tryNow(laneId, first, clock.now())
      if (first !== undefined) claims.first(first)
      claims.nudge([laneId])
      pump()
    },
    lag(now) {
      const due = Math.min(now, lanes.oldestDue() ?? now, alarm.next() ?? now)
      return Math.max(0, now - due)
    },
  }
}
