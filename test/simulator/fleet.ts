import { MINUTE, type Millis, repeat, SECOND } from '#src/core/clock.ts'
import { DEADLINE } from '#src/delivery/attempt/send.ts'
import { createLease, type Lease, PACE } from '#src/jobs/lease/lease.ts'
import { createOwnership, type Ownership } from '#src/jobs/ownership/ownership.ts'
import type { Bug } from './bugs.ts'
import { withBug } from './divided.ts'
import { createModelLeases, createModelOwnership, type LeaseDisk } from './workers.ts'
import { clockOf, createDice, createWorld } from './world.ts'

/** Many processes that divide lanes: the real leases and parts, over a model of the table, in virtual time. */
export interface FleetOptions {
  seed: number
  /** How many there are, and to how many it grows by and by before it shrinks to as many as before. */
  from: number
  to: number
  /** How long they are killed, told to end, frozen and started. */
  storm: Millis
  bug?: Bug | undefined
  /** How often, all together, one of them is killed, told to end or frozen for longer than its lease. */
  every: Millis
}

export interface FleetReport {
  kills: number
  ends: number
  freezes: number
  attempts: number
  /** How long a lane was without an owner, milliseconds: after its owner had died or was frozen … */
  takenOver: Millis[]
  /** … and after its owner had been told to end, or others had come. */
  handedOver: Millis[]
  /** How long after the last disturbance all parts of all lanes were owned. */
  dividedAfter: Millis
  /** Statements about parts that one process makes in a minute. */
  statements: number
}

/** How long a lane may have no owner: until the lease of a dead worker has expired and another polls … */
export const TAKEN_OVER_WITHIN: Millis = PACE.lease + 2 * PACE.poll + 2 * SECOND
/** … or until its attempts have ended, its owner has published that, and another has read it. */
export const HANDED_OVER_WITHIN: Millis = DEADLINE + 2 * PACE.poll + 2 * SECOND

interface Lane {
  laneId: string
  cap: number
  perSecond: null
}

interface Process {
  readonly id: number
  readonly lease: Lease
  readonly ownership: Ownership
  /** The lanes of the attempts under way, and the worker that claimed each. */
  readonly flights: Set<{ lane: Lane; worker: string }>
  isAlive: boolean
  /** Whether it was told to end. */
  isEnding: boolean
  frozenUntil: Millis
  stop(): void
}

const SAMPLE: Millis = 100
/** Owners are checked this often. */
const INSPECTION: Millis = 250
const LATENCY: Millis = 20
const NOTIFIED: Millis = 30
/** How long a process that ends is alive after its last attempt. */
const OTHER_WORK: Millis = 20 * SECOND

/** Of most kinds: in order, with fewer calls at once than there are workers, and with many. */
const LANES: Lane[] = Array.from({ length: 64 }, (_, number) => ({
  laneId: `lane ${number}`,
  cap: [1, 3, 16, 100][number % 4] as number,
  perSecond: null,
}))

/** @throws Error with the seed and the moment when more is under way than a lane takes, or it has no owner for too long */
export async function simulateFleet(options: FleetOptions): Promise<FleetReport> {
  const { seed, from, to, storm, every, bug } = options
  const world = createWorld()
  const dice = createDice(seed)
  const disk: LeaseDisk = { rows: new Map(), workers: new Map() }
  const table = createModelOwnership(disk)
  const leases = createModelLeases({ disk: { rows: new Map(), workers: disk.workers }, shared: true })
  /** The claims of each worker. */
  const claimed = new Map<string, string[]>()
  const processes = new Set<Process>()
  const report: FleetReport = {
    ...{ kills: 0, ends: 0, freezes: 0, attempts: 0, dividedAfter: 0, statements: 0 },
    takenOver: [],
    handedOver: [],
  }
  let [born, statements, lived] = [0, 0, 0]
  /** Lanes without owner, since when, and the workers that died since then. */
  const without = new Map<Lane, { since: Millis; dead: Set<string> }>()
  let failure: Error | undefined

  function broken(message: string): void {
    failure ??= new Error(`seed ${seed}, ${world.elapsed()} ms: ${message}`)
  }

  const isAwake = (one: Process) => one.isAlive && one.frozenUntil <= world.elapsed()
  const isAble = (one: Process) => isAwake(one) && one.lease.isGood()
  const flightsOf = (one: Process, lane: Lane) =>
    [...one.flights].filter((flight) => flight.lane === lane && disk.workers.has(flight.worker)).length

  function spawn(): Process {
    born += 1
    const flights: Process['flights'] = new Set()
    // A frozen process runs its timers when it wakes.
    const clock = clockOf(world, () => process.isAlive)
    const awake = (work: () => void) => {
      if (!process.isAlive) return
      const left = process.frozenUntil - world.elapsed()
      if (left > 0) world.after(left, () => awake(work))
      else work()
    }
    const wait = () =>
      new Promise<void>((resolve) => void world.after(dice.between(1, LATENCY), () => awake(resolve)))
    async function operate<T>(work: () => T | Promise<T>): Promise<T> {
      await wait()
      const value = await work()
      await wait()
      return value
    }
    function counted<T>(work: () => T | Promise<T>): Promise<T> {
      statements += 1
      return operate(work)
    }
    const tracked = (work: Promise<void>) =>
      void work.catch((error: Error) => broken(error.stack ?? error.message))
    let lives = 0
    const lease = createLease({
      clock: { now: clock.now, after: (delay, fire) => clock.after(delay, () => awake(fire)) },
      log: { error: ({ err }: { err?: Error }) => broken(err?.stack ?? 'an error') },
      shared: true,
      newName() {
        lives += 1
        return `p${process.id}.${lives}`
      },
      store: {
        join: (...asked) => operate(() => leases.join(...asked)),
        keepAlive: (...asked) => operate(() => leases.keepAlive(...asked)),
        correct: (...asked) => operate(() => leases.correct(...asked)),
        removeDead: (...asked) =>
          operate(async () => {
            const died = await leases.removeDead(...asked)
            for (const id of claimed.keys()) if (!disk.workers.has(id)) claimed.delete(id)
            return died
          }),
        leave: (...asked) => operate(() => leases.leave(...asked)),
        interrupt() {},
      },
    })
    lease.listen({
      onLost: () => ownership.reset(),
      onRegained: () => tracked(poll()),
    })
    const mayWork = () => !process.isEnding && lease.mayWork()
    const store = withBug(
      { ...table, claimedLanes: async (id) => claimed.get(id) ?? [] },
      () => lease.name,
      bug,
    )
    const ownership: Ownership = createOwnership({
      clock,
      lease,
      store: {
        readWorkers: () => counted(store.readWorkers),
        save: (id, changes) =>
          (changes.isRetired === true ? operate : counted)(() => store.save(id, changes)),
        claimedLanes: (id) => counted(() => store.claimedLanes(id)),
      },
      claimedJobs: {
        lanes: () =>
          [...new Set([...flights].map(({ lane }) => lane))].map((lane) => ({
            ...lane,
            inFlight: [...flights].filter((flight) => flight.lane === lane).length,
          })),
        claiming: () => [],
      },
      notifyWorkers: () => {
        for (const other of processes)
          if (other !== process && dice.chance(0.9))
            world.after(dice.between(1, NOTIFIED), () => {
              if (isAwake(other) && other.lease.name !== '') tracked(other.ownership.agree())
            })
      },
    })

    async function poll(): Promise<void> {
      if (!mayWork()) return
      await lease.removeDead()
      if (mayWork()) await ownership.agree()
    }

    /** An attempt, of a lane that happens to have one: most take little, some as long as they may. */
    function attempt(): void {
      const lane = dice.pick(LANES)
      const own = [...flights].filter((flight) => flight.lane === lane).length
      if (!mayWork() || own >= ownership.partOf(lane)) return
      const all = [...processes].reduce((sum, one) => sum + flightsOf(one, lane), 0)
      if (all >= lane.cap)
        broken(`p${process.id} begins number ${all + 1} of ${lane.laneId}, which takes ${lane.cap}`)
      const flight = { lane, worker: lease.name }
      flights.add(flight)
      claimed.set(flight.worker, [...(claimed.get(flight.worker) ?? []), lane.laneId])
      report.attempts += 1
      world.after(dice.chance(0.95) ? dice.between(5, 300) : dice.between(SECOND, DEADLINE), () => {
        if (!process.isAlive) return
        flights.delete(flight)
        const left = claimed.get(flight.worker)
        const index = left?.indexOf(lane.laneId) ?? -1
        if (index >= 0) left?.splice(index, 1)
        ownership.noteEnd()
      })
    }

    const cancels = [
      repeat(clock, PACE.poll, () => awake(() => tracked(poll()))),
      repeat(clock, SAMPLE, () =>
        awake(() => {
          for (let count = 0; count < 3; count += 1) attempt()
        }),
      ),
    ]
    const startedAt = world.elapsed()
    const process: Process = {
      id: born,
      ...{ lease, ownership, flights },
      isAlive: true,
      isEnding: false,
      frozenUntil: 0,
      stop() {
        process.isAlive = false
        processes.delete(process)
        lived += world.elapsed() - startedAt
        for (const cancel of cancels) cancel()
      },
    }
    processes.add(process)
    tracked(lease.start().then(() => poll()))
    return process
  }

  const some = () => {
    const able = [...processes].filter((one) => isAwake(one) && !one.isEnding)
    return able.length === 0 ? undefined : dice.pick(able)
  }

  function kill(one: Process): void {
    report.kills += 1
    one.stop()
  }

  /** Stops a process: it gives up its parts as its attempts end, does other work for a while, and then gives up its name. */
  function end(one: Process): void {
    const { lease, ownership } = one
    report.ends += 1
    one.isEnding = true
    lease.retire()
    let hasRetired = false
    void ownership.retire().then(() => {
      hasRetired = true
    })
    const look = () => {
      if (!one.isAlive) return
      if (one.flights.size > 0 || !hasRetired) return void world.after(SAMPLE, look)
      void ownership
        .stop()
        .then(() => new Promise<void>((resolve) => void world.after(dice.between(0, OTHER_WORK), resolve)))
        .then(() => lease.stop())
        .then(() => one.stop())
    }
    look()
  }

  function disturb(): void {
    const one = some()
    if (one === undefined) return
    const chance = dice.roll()
    if (chance < 0.5) kill(one)
    else if (chance < 0.8) end(one)
    else {
      report.freezes += 1
      one.frozenUntil = world.elapsed() + dice.between(SECOND, 2 * PACE.lease)
    }
  }

  /** How many there should be: it grows, and shrinks again. */
  function size(): number {
    const part = world.elapsed() / storm
    return Math.round(from + (to - from) * Math.max(0, 1 - Math.abs(2 * Math.min(part, 1) - 1)))
  }

  /** Starts or stops one process where there are too few or too many. */
  function scale(): void {
    const present = [...processes].filter(({ isEnding }) => !isEnding)
    if (present.length < size()) spawn()
    else if (present.length > size()) {
      const one = some()
      if (one !== undefined) end(one)
    }
  }

  function sample(): void {
    const able = [...processes].filter(isAble)
    const dead = [...disk.workers.keys()].filter(
      (id) => ![...processes].some((one) => isAble(one) && one.lease.name === id),
    )
    for (const lane of LANES) {
      const parts = able.map(({ ownership }) => ownership.partOf(lane))
      const all = parts.reduce((sum, part) => sum + part, 0)
      if (all > lane.cap) broken(`${lane.laneId} takes ${lane.cap}, and has parts of ${parts.join(' and ')}`)
      const owners = able.filter(({ ownership }) => ownership.isOwner(lane.laneId))
      if (owners.length > 1) broken(`${lane.laneId} is of ${owners.map(({ id }) => `p${id}`).join(' and ')}`)
      const [owner] = owners
      const gap = without.get(lane)
      if (owner !== undefined) {
        if (gap === undefined) continue
        without.delete(lane)
        const list = gap.dead.size > 0 ? report.takenOver : report.handedOver
        list.push(world.elapsed() - gap.since)
        continue
      }
      if (gap === undefined) without.set(lane, { since: world.elapsed(), dead: new Set(dead) })
      else {
        for (const id of dead) gap.dead.add(id)
        // The next owner may die as well.
        const bound = gap.dead.size * TAKEN_OVER_WITHIN + HANDED_OVER_WITHIN
        if (world.elapsed() - gap.since > bound && processes.size > 0)
          broken(`${lane.laneId} has had no owner for ${world.elapsed() - gap.since} ms`)
      }
    }
  }

  /** Whether the parts of each lane add up to its cap. */
  const isDivided = () =>
    LANES.every((lane) => {
      const parts = [...processes].map(({ ownership }) => ownership.partOf(lane))
      return parts.reduce((sum, part) => sum + part, 0) === lane.cap
    })

  for (let count = 0; count < from; count += 1) spawn()
  const inspect = () => {
    if (failure !== undefined) throw failure
  }
  await world.run(2 * PACE.poll, inspect)
  const started = world.elapsed()
  const steady = { now: world.now, after: world.after }
  const cancels = [
    repeat(steady, INSPECTION, sample),
    repeat(steady, every, () => {
      if (world.elapsed() < started + storm) disturb()
    }),
    repeat(steady, 5 * SECOND, scale),
  ]
  await world.run(started + storm + 4 * PACE.lease, inspect)
  const calmAt = world.elapsed()
  while (!isDivided()) {
    await world.run(world.elapsed() + SAMPLE, inspect)
    if (world.elapsed() - calmAt > TAKEN_OVER_WITHIN)
      throw new Error(`seed ${seed}: a part of a lane stays nobody's`)
  }
  report.dividedAfter = world.elapsed() - calmAt
  for (const cancel of cancels) cancel()
  for (const one of [...processes]) one.stop()
  report.statements = Math.round((statements / lived) * MINUTE)
  return report
}
