import { MINUTE, type Millis, repeat, SECOND } from '#src/core/clock.ts'
import { DEADLINE } from '#src/delivery/attempt/send.ts'
import { SHARDS, shardOf } from '#src/jobs/shards/shard.ts'
import { createShards, type Shards } from '#src/jobs/shards/shards.ts'
import { paceFor } from '#src/jobs/worker/job-kind.ts'
import { createLease } from '#src/jobs/worker/lease.ts'
import { createStanding, type Standing } from '#src/jobs/worker/standing.ts'
import type { Bug } from './bugs.ts'
import { createModelShards, forgetWorker } from './shards.ts'
import { createDisk } from './store.ts'
import { clockOf, createDice, createWorld } from './world.ts'

/** Many processes that share the webhooks: the real leases and shards, over a model of the table, in virtual time. */
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
  /** Changes of the owner of a shard. */
  moves: number
  attempts: number
  /** How long a shard was without an owner, milliseconds: after its owner had died or was frozen … */
  takenOver: Millis[]
  /** … and when its owner had given it up. */
  handedOver: Millis[]
  /** How long after the last disturbance everybody had an even part. */
  balancedAfter: Millis
  /** Statements about shards that one process makes in a minute. */
  statements: number
}

/** What a shard may be without an owner: until the lease of the dead has run out and another polls. */
export const TAKEN_OVER_WITHIN: Millis = paceFor(DEADLINE).lease + 2 * paceFor(DEADLINE).poll + 2 * SECOND
/** Or until what was under way of it has ended, its owner has said so, and another has taken it. */
export const HANDED_OVER_WITHIN: Millis = DEADLINE + 2 * paceFor(DEADLINE).poll + 2 * SECOND

interface Process {
  readonly id: number
  readonly lease: { readonly name: string; isGood(): boolean }
  readonly standing: Standing
  readonly shards: Shards
  /** The lanes of the attempts under way, and the worker that claimed each. */
  readonly flights: Set<{ lane: string; worker: string }>
  isAlive: boolean
  /** Whether it was told to end. */
  isEnding: boolean
  frozenUntil: Millis
  stop(): void
}

const PACE = paceFor(DEADLINE)
const SAMPLE: Millis = 100
/** Who owns what is looked at this often, and with each taking. */
const INSPECTION: Millis = 250
const LATENCY: Millis = 20
const NOTIFIED: Millis = 30

/** A lane of each shard. */
const LANES = (() => {
  const lanes = new Map<number, string>()
  for (let made = 0; lanes.size < SHARDS; made += 1) {
    const lane = `lane ${made}`
    if (!lanes.has(shardOf(lane))) lanes.set(shardOf(lane), lane)
  }
  return Array.from({ length: SHARDS }, (_, number) => lanes.get(number) as string)
})()

/** @throws Error with the seed and the moment when a shard has two owners, or none for too long */
export async function simulateFleet(options: FleetOptions): Promise<FleetReport> {
  const { seed, from, to, storm, every, bug } = options
  const world = createWorld()
  const dice = createDice(seed)
  const disk = createDisk()
  const table = createModelShards(disk, bug)
  /** What each worker has claimed, and nobody has freed. */
  const claimed = new Map<string, string[]>()
  const processes = new Set<Process>()
  const report: FleetReport = {
    ...{ kills: 0, ends: 0, freezes: 0, moves: 0, attempts: 0, balancedAfter: 0, statements: 0 },
    takenOver: [],
    handedOver: [],
  }
  let [born, statements, lived] = [0, 0, 0]
  /** Shards of nobody, since when, and whether their owner died. */
  const without = new Map<number, { since: Millis; isDead: boolean }>()
  const lastOwner = new Map<number, Process>()
  let failure: Error | undefined

  function broken(message: string): void {
    failure ??= new Error(`seed ${seed}, ${world.elapsed()} ms: ${message}`)
  }

  const isAwake = (one: Process) => one.isAlive && one.frozenUntil <= world.elapsed()
  /** Whether a process would begin an attempt of a shard just now. */
  const acts = (one: Process, number: number) =>
    isAwake(one) && one.standing.isGood() && one.shards.owns(LANES[number] as string)

  function spawn(): Process {
    born += 1
    const flights: Process['flights'] = new Set()
    // What a frozen process has to do it does when it wakes.
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
      clock,
      duration: PACE.lease,
      shared: true,
      newName() {
        lives += 1
        return `p${process.id}.${lives}`
      },
      store: {
        join: (id, until) => operate(() => void disk.workers.set(id, until)),
        keepAlive: (id, until) =>
          operate(() => {
            if (!disk.workers.has(id)) return false
            disk.workers.set(id, until)
            return true
          }),
      },
    })
    const standing = createStanding({
      clock,
      heartbeat: PACE.heartbeat,
      lease,
      forget: () => shards.reset(),
      onRejoined: poll,
      track: tracked,
    })
    const shards: Shards = createShards({
      clock,
      lease,
      store: {
        readHoldings: (now) => counted(() => table.readHoldings(now)),
        takeShards: (id, wanted) =>
          counted(async () => {
            const taken = await table.takeShards(id, wanted)
            report.moves += taken.length
            for (const number of taken)
              for (const other of processes)
                if (other !== process && acts(other, number))
                  broken(`p${process.id} takes ${number} of p${other.id}`)
            return taken
          }),
        releaseShards: (id, given) => counted(() => table.releaseShards(id, given)),
        retire: (id) => operate(() => table.retire(id)),
        claimedLanes: (id) => counted(() => claimed.get(id) ?? []),
      },
      inHand: () => [...flights].map(({ lane }) => lane),
      isClear: bug === 'released before the drain' ? () => true : undefined,
      onGiving: () => {},
      onGone: () => {},
      onTaken: () => {},
      announce: () => {
        for (const other of processes)
          if (other !== process && dice.chance(0.9))
            world.after(dice.between(1, NOTIFIED), () => {
              if (isAwake(other) && other.standing.isRunning) tracked(other.shards.balance())
            })
      },
    })

    async function poll(): Promise<void> {
      if (!standing.mayWork()) return
      await operate(() => {
        for (const [id, until] of [...disk.workers])
          if (id !== lease.name && standing.mayFreeExpired() && until <= world.now())
            forgetWorker(disk, id, { leaves: false })
        for (const id of claimed.keys()) if (!disk.workers.has(id)) claimed.delete(id)
      })
      if (standing.mayWork()) await shards.balance()
    }

    /** An attempt, of a lane that happens to have one: most take little, some as long as they may. */
    function attempt(): void {
      const number = dice.between(0, SHARDS - 1)
      if (!acts(process, number) || !standing.mayWork()) return
      const lane = LANES[number] as string
      for (const other of processes)
        if (other !== process && isAwake(other))
          for (const flight of other.flights)
            if (flight.lane === lane && disk.workers.has(flight.worker))
              broken(`p${process.id} begins an attempt of ${number} while p${other.id} makes one`)
      const flight = { lane, worker: lease.name }
      flights.add(flight)
      claimed.set(flight.worker, [...(claimed.get(flight.worker) ?? []), lane])
      report.attempts += 1
      world.after(dice.chance(0.95) ? dice.between(5, 300) : dice.between(SECOND, DEADLINE), () => {
        if (!process.isAlive) return
        flights.delete(flight)
        const left = claimed.get(flight.worker)
        const index = left?.indexOf(lane) ?? -1
        if (index >= 0) left?.splice(index, 1)
        shards.stir()
      })
    }

    const cancels = [
      repeat(clock, PACE.poll, () => awake(() => tracked(poll()))),
      repeat(clock, PACE.heartbeat, () => awake(() => tracked(standing.heartbeat()))),
      repeat(clock, SAMPLE, () => awake(attempt)),
    ]
    const startedAt = world.elapsed()
    const process: Process = {
      id: born,
      ...{ lease, standing, shards, flights },
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
    tracked(standing.start().then(() => poll()))
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

  /** As a worker ends: it gives up what it owns as its attempts end, and then its name. */
  function end(one: Process): void {
    report.ends += 1
    one.isEnding = true
    one.standing.stop()
    let hasRetired = false
    void one.shards.retire().then(() => {
      hasRetired = true
    })
    const look = () => {
      if (!one.isAlive) return
      if (one.flights.size > 0 || !hasRetired) return void world.after(SAMPLE, look)
      forgetWorker(disk, one.lease.name, { leaves: true })
      one.stop()
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

  /** Who is told to end because there are too many, or started because there are too few. */
  function scale(): void {
    const present = [...processes].filter(({ isEnding }) => !isEnding)
    if (present.length < size()) spawn()
    else if (present.length > size()) {
      const one = some()
      if (one !== undefined) end(one)
    }
  }

  /** Whether it was killed, or has no good lease any more. */
  const hasFailed = (one: Process) =>
    !one.isEnding && (!one.isAlive || !isAwake(one) || !one.standing.isGood())

  function sample(): void {
    const able = [...processes].filter((one) => isAwake(one) && one.standing.isGood())
    for (let number = 0; number < SHARDS; number += 1) {
      const owners = able.filter(({ shards }) => shards.owns(LANES[number] as string))
      if (owners.length > 1) broken(`shard ${number} is of ${owners.map(({ id }) => `p${id}`).join(' and ')}`)
      const [owner] = owners
      const gap = without.get(number)
      const last = lastOwner.get(number)
      const isDead = last !== undefined && hasFailed(last)
      if (owner !== undefined) {
        lastOwner.set(number, owner)
        if (gap === undefined) continue
        without.delete(number)
        const list = gap.isDead ? report.takenOver : report.handedOver
        list.push(world.elapsed() - gap.since)
        continue
      }
      if (gap === undefined) without.set(number, { since: world.elapsed(), isDead })
      else {
        gap.isDead ||= isDead
        const bound = gap.isDead ? TAKEN_OVER_WITHIN + HANDED_OVER_WITHIN : HANDED_OVER_WITHIN
        if (world.elapsed() - gap.since > bound && processes.size > 0)
          broken(`shard ${number} has had no owner for ${world.elapsed() - gap.since} ms`)
      }
    }
  }

  const isEven = () => {
    const counts = [...processes].map(({ shards }) => shards.owned)
    return without.size === 0 && Math.max(...counts) - Math.min(...counts) <= 1
  }

  for (let count = 0; count < from; count += 1) spawn()
  const inspect = () => {
    if (failure !== undefined) throw failure
  }
  // Until all have their first part nobody has anything to lose.
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
  while (!isEven()) {
    await world.run(world.elapsed() + SAMPLE, inspect)
    if (world.elapsed() - calmAt > TAKEN_OVER_WITHIN) throw new Error(`seed ${seed}: the parts stay uneven`)
  }
  report.balancedAfter = world.elapsed() - calmAt
  for (const cancel of cancels) cancel()
  for (const one of [...processes]) one.stop()
  report.statements = Math.round((statements / lived) * MINUTE)
  return report
}
