import { type Millis, sleep } from '#src/core/clock.ts'
import type { Id } from '#src/core/id.ts'
import type { Loop } from '#src/core/loop.ts'
import type { DeliveryJob, DeliverySettlement } from '#src/delivery/attempt/delivery-job.ts'
import { DEADLINE, type Send } from '#src/delivery/attempt/send.ts'
import type { DeliveryStore } from '#src/delivery/delivery-store.ts'
import { type DeliveryWorker, deliveryKind } from '#src/delivery/delivery-worker.ts'
import { type CircuitBreaker, circuitBreaker } from '#src/jobs/lanes/circuit-breaker.ts'
import { createJobShares, type JobLimits, type JobShares } from '#src/jobs/lanes/job-shares.ts'
import { createLease, type Lease, type LeaseStore, type Pace } from '#src/jobs/lease/lease.ts'
import { assembleWorker } from '#src/jobs/worker/create-worker.ts'
import { createSettling } from '#src/jobs/worker/settling.ts'
import type { Log } from '#src/jobs/worker/worker.ts'
import type { Bug } from './bugs.ts'
import { withBug } from './divided.ts'
import type { ModelFanOuts } from './fan-outs.ts'
import { type SlowNames, withNames } from './names.ts'
import { type Call, createNetwork, type Reply } from './network.ts'
import { createOperate, never, type StoreWeather } from './operate.ts'
import type { Power } from './power.ts'
import { createStepping } from './stepping.ts'
import type { Watch } from './watch.ts'
import type { Wide } from './wide.ts'
import { clockOf, type Dice, type World } from './world.ts'

/** How well the world behaves at the moment. */
export interface Weather extends StoreWeather {
  /** How long a write of a view may be delayed, so that the rows that it rests on may have changed. */
  dividing: Millis
}

/** One life of a Postern process: the real engine, on virtual time, with the store and the network of the world. */
export interface Process {
  readonly name: string
  /** The name under which it claims just now. */
  readonly workerId: string
  readonly worker: DeliveryWorker
  readonly lease: Lease
  /** The loop that writes deliveries in steps, where there are any. */
  readonly fanOut: Loop | undefined
  isAlive: boolean
  /** Attempts whose result is not on the disk, each with its count: one may be repeated under a new name. */
  readonly open: Map<string, number>
  /** Those of them that had ended when it last asked for claims to be freed: their results wait for the disk. */
  answered: Set<string>
  /** Whether it may own other webhooks since it was looked at last. */
  isDividing: boolean
  crash(): void
}

interface ProcessDeps {
  name: string
  world: World
  dice: Dice
  weather: Weather
  power: Power
  store: DeliveryStore
  leases: LeaseStore
  /** Frees claims of processes that are gone, as a process does under a name. */
  free: (workerId: string, now: Millis) => Promise<void>
  pace: Pace
  watch: Watch
  /** A destination is called. */
  call: (process: Process, call: Call) => Reply
  /** Whether requests go the whole way through the real sender. */
  isWhole: boolean
  /** Limits below the usual ones. */
  limits: Partial<JobLimits> | undefined
  slowNames: SlowNames | undefined
  bug: Bug | undefined
  /** Takes claims back, where the planted bug has made them without waiting for the disk. */
  unclaim: (jobs: DeliveryJob[], claimer: string) => void
  /** Tells all other processes; it may get lost. */
  tell: (from: Process, what: (other: DeliveryWorker) => void) => void
  /** What the second commit of a replay's step does, where that is the planted bug. */
  moveReplays: () => void
  /** Set where deliveries are written in steps. */
  wide: { store: ModelFanOuts; wide: Wide } | undefined
}

/** Rules of parking with a fault in them. */
const FAULTY: Partial<Record<Bug, Partial<CircuitBreaker>>> = {
  'never parked': { isParked: () => false },
  'held though alone': {
    heldUntil: (breaker, { horizon }, now) =>
      circuitBreaker.heldUntil(breaker, { id: '' as Id<'delivery'>, horizon }, now),
  },
}

/** Operations that write nothing to the disk, among them a planted claim that does not wait for it. */
const READS = new Set([
  'nextDue',
  'dueOf',
  'findBody',
  'findTarget',
  'claimedBy',
  'relaxed claim',
  'readWorkers',
  'lanes.failing',
  'claimedLanes',
  'fanOut.next',
])

export function startProcess(deps: ProcessDeps): Process {
  const { name, world, dice, weather, power, store, leases, pace, watch, bug } = deps
  const clock = clockOf(world, () => process.isAlive)
  const { wait, alive, operate } = createOperate({
    ...{ name, world, dice, weather, power, reads: READS },
    isAlive: () => process.isAlive,
  })

  /** A commit that does not wait for the disk, planted where one must. */
  function relax(jobs: DeliveryJob[], claimer: string): void {
    power.relax(() => deps.unclaim(jobs, claimer))
  }

  function claims(now: Millis, claimer: string, claim: () => Promise<DeliveryJob[]>): Promise<DeliveryJob[]> {
    return operate(bug === 'claimed without the flush' ? 'relaxed claim' : 'claim', async () => {
      const jobs = await claim()
      if (bug === 'claimed without the flush') relax(jobs, claimer)
      world.note(`${name} claims ${shorten(jobs)}`)
      watch.claims(jobs, now)
      if (jobs.length > 0) power.tempt()
      return jobs
    })
  }

  function open(name: string): void {
    process.open.set(name, (process.open.get(name) ?? 0) + 1)
  }

  const closed = new WeakSet<DeliverySettlement>()

  /** A result that is written again, because an answer was lost, ends its attempt once. */
  function close(settlement: DeliverySettlement): void {
    if (closed.has(settlement)) return
    closed.add(settlement)
    const name = `${settlement.job.id}/${settlement.job.attempts + 1}`
    const left = (process.open.get(name) ?? 1) - 1
    ended.delete(name)
    if (left > 0) process.open.set(name, left)
    else process.open.delete(name)
  }

  const network = createNetwork({
    clock,
    isWhole: deps.isWhole,
    call: (call) => deps.call(process, call),
    wait: async (delay) => {
      await wait(delay)
      return alive(undefined)
    },
  })
  const send =
    deps.slowNames === undefined ? network : withNames(network, deps.slowNames, { world, clock, wait, bug })
  const ended = new Set<string>()
  const fanOut =
    deps.wide && createStepping({ ...deps.wide, clock, worker: () => process.worker, wait, operate, bug })
  let lives = 0
  let workerId = ''
  const dividing = withBug(store.ownership, () => workerId, bug)
  const watchedLeases: LeaseStore = {
    join: (id, until) =>
      operate('join', () => {
        world.note(`${id} joins`)
        return leases.join(id, until)
      }),
    correct: (latest) => operate('correct', () => leases.correct(latest)),
    keepAlive: (id, until, now) =>
      operate('keepAlive', async () => {
        const isKept = await leases.keepAlive(id, until, now)
        if (!isKept) world.note(`${id} has outlived its lease`)
        return isKept
      }),
    removeDead: (...asked) => operate('removeDead', () => leases.removeDead(...asked)),
    leave: (id) => operate('leave', () => leases.leave(id)),
    interrupt: () => leases.interrupt(),
  }
  const watched: DeliveryStore = {
    correctDue: (now) => operate('correctDue', () => store.correctDue(now)),
    freeLost(now) {
      process.answered = new Set(ended)
      return operate('freeLost', () => deps.free(workerId, now))
    },
    giveUp: (id) => operate('giveUp', () => store.giveUp(id)),
    ownership: {
      async readWorkers() {
        const rows = await operate('readWorkers', () => dividing.readWorkers())
        process.isDividing = true
        return rows
      },
      async save(id, changes) {
        if (changes.isRetired === true) return operate('retire', () => store.ownership.save(id, changes))
        await wait(dice.between(0, weather.dividing))
        await operate('divide', () => dividing.save(id, changes))
        process.isDividing = true
        world.note(`${id} divides by ${changes.view}, but for ${changes.draining?.length} lanes`)
      },
      claimedLanes: (id) => operate('claimedLanes', () => store.ownership.claimedLanes(id)),
    },
    nextDue: (...asked) => operate('nextDue', () => store.nextDue(...asked)),
    dueOf: (webhooks) => operate('dueOf', () => store.dueOf(webhooks)),
    claim(id, wants, now) {
      for (const { laneId, limit } of wants) watch.asks(name, laneId, limit)
      return claims(now, id, () => store.claim(id, wants, now))
    },
    claimNamed: (id, named, now) => claims(now, id, () => store.claimNamed(id, named, now)),
    findBody: (eventId) => operate('findBody', () => store.findBody(eventId), false),
    // The attempt starts with what this reads: between the two there is no wait.
    findTarget: (id, now) => operate('findTarget', () => store.findTarget(id, now), false),
    release: (id, jobs) =>
      operate('release', () => {
        world.note(`${name} gives back ${shorten(jobs)}`)
        return store.release(id, jobs)
      }),
    claimedBy: (id) => operate('claimedBy', () => store.claimedBy(id)),
    interrupt: () => store.interrupt(),
    lanes: {
      load: () => operate('lanes.load', () => store.lanes.load()),
      save: (states, now) => operate('lanes.save', () => store.lanes.save(states, now)),
      failing: (now) => operate('lanes.failing', () => store.lanes.failing(now)),
      clear: (laneIds, now) => operate('lanes.clear', () => store.lanes.clear(laneIds, now)),
    },
    async stepReplays(now) {
      const step = await operate('stepReplays', () => store.stepReplays(now))
      if (bug === 'replay in two commits') await operate('moveReplays', async () => deps.moveReplays())
      return step
    },
    async settle(id, settlements, now) {
      await operate('settle', async () => {
        world.note(`${name} settles ${shorten(settlements.map(({ job }) => job))}`)
        await store.settle(id, settlements, now)
        for (const settlement of settlements) close(settlement)
      })
      watch.settles(process, settlements)
    },
  }
  const sending: Send = async (target, letter) => {
    if (!process.isAlive) return never()
    const attempt = `${letter.deliveryId}/${letter.attempt}`
    open(attempt)
    const sent = await send(target, letter)
    watch.lands(name, letter.deliveryId as Id<'delivery'>)
    ended.add(attempt)
    return alive(sent)
  }
  const fair = createJobShares(DEADLINE, deps.limits)
  const shares = bug === 'no share' ? allForAnybody(fair) : fair
  const silent: Log = { info: () => {}, error: () => {} }
  const lease = createLease({ clock, store: watchedLeases, log: silent, shared: true, pace, newName })
  const about = {
    ...{ clock, lease, store: watched, log: silent, shared: true, shares, pace },
    send: sending,
    onAttempt: () => {},
    notifyOwner: (laneId: string) => deps.tell(process, (other) => other.arrived(laneId as Id<'webhook'>)),
    notifyWorkers: () => deps.tell(process, (other) => other.agree()),
  }
  function newName(): string {
    lives += 1
    workerId = `${name}.${lives}`
    watch.owns(name, () => false)
    return workerId
  }
  const process: Process = {
    name,
    get workerId() {
      return workerId
    },
    isAlive: true,
    ...{ fanOut, lease },
    open: new Map(),
    answered: new Set(),
    isDividing: false,
    crash() {
      world.note(`${name} crashes with ${process.open.size} open`)
      process.isAlive = false
    },
    worker: assembleWorker(deliveryKind(about), about, {
      rules: { ...circuitBreaker, ...(bug && FAULTY[bug]) },
      settling: createSettling({
        ...{ clock, store: watched, log: silent, isFar: true },
        rest: (delay) => sleep(clock, delay),
      }),
    }),
  }
  return process
}

/** Attempts without shares: each organization may begin all that are free. */
function allForAnybody(shares: JobShares): JobShares {
  const isUsedUp = () => shares.inFlight >= shares.most
  return {
    ...shares,
    get inFlight() {
      return shares.inFlight
    },
    get areUsedUp() {
      return isUsedUp()
    },
    mayBegin: () => !isUsedUp(),
  }
}

function shorten(jobs: { id: string }[]): string {
  return jobs.map(({ id }) => id.slice(-6)).join(' ')
}
