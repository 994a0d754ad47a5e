import { HOUR, MINUTE, type Millis, SECOND } from '../../src/core/clock.ts'
import type { Id, Kind } from '../../src/core/id.ts'
import type { Pace } from '../../src/webhooks/engine.ts'
import { HORIZON } from '../../src/webhooks/retry.ts'
import type { Sent } from '../../src/webhooks/send.ts'
import { CHARACTERS, type Character, treat } from './destinations.ts'
import { type Process, startProcess, type Weather } from './process.ts'
import { type Bug, createDisk, createModelStore, type Row, type Webhook } from './store.ts'
import { createDice, createWorld } from './world.ts'

/** What one seed was about, for whoever counts. */
export interface Report {
  deliveries: number
  sends: number
  crashes: number
  duplicates: number
}

/** An invariant broke; the message holds what led to it, and the seed repeats it. */
export class SimulationError extends Error {
  override readonly name = 'SimulationError'
}

/** Faults of the first part of a run; then a time in which all that can recover does. */
const STORM = 4 * MINUTE

/** Short runs see the storm and what follows it; every twentieth goes on until every horizon has passed. */
const isLong = (seed: number) => seed % 20 === 0
const PACE_SHORT: Pace = { lease: 60 * SECOND, signOfLife: 15 * SECOND, look: 5 * SECOND }
const PACE_LONG: Pace = { lease: 20 * MINUTE, signOfLife: 5 * MINUTE, look: 2 * MINUTE }

/**
 * Runs the real delivery engine on virtual time under the faults of a seed: processes that crash at any wait, a
 * store that is slow, fails or loses its answers, destinations of every character, jumps of the clock, webhooks that
 * are paused, resumed and deleted.
 *
 * After every step: what was acknowledged is delivered, pending, or failed with a reason; nothing is sent after its
 * horizon, after its webhook's deletion, while paused, or before it is due; never more in flight than the cap; and
 * never more sent twice than was in flight when something crashed.
 *
 * @param bug is planted to see that it is found
 * @throws SimulationError
 */
export async function simulate(seed: number, bug?: Bug): Promise<Report> {
  const dice = createDice(seed)
  const world = createWorld()
  const disk = createDisk()
  const model = createModelStore(disk, bug)
  const store: typeof model = {
    ...model,
    async freeDead(workerId, now) {
      const claimed = new Map([...disk.rows.values()].map(({ id, claim }) => [id, claim]))
      await model.freeDead(workerId, now)
      // A process that could not give a sign of life lives on: what it has in flight is made again.
      const freed = [...disk.rows.values()].filter(
        ({ id, claim }) => claim === null && claimed.get(id) !== null,
      )
      if (freed.length === 0) return
      world.note(`${workerId} frees ${freed.map(({ id }) => id.slice(-6)).join(' ')}`)
      for (const process of processes) pardon(process)
    },
  }
  const weather: Weather = {
    latency: dice.pick([0, 2, 20, 2_000]),
    failure: dice.pick([0, 0, 0.02, 0.2]),
    lostAnswer: dice.pick([0, 0, 0.02, 0.1]),
  }
  const pace = isLong(seed) ? PACE_LONG : PACE_SHORT
  const characters = new Map<string, Character>()
  const healsAt = world.now() + dice.between(0, STORM)
  const acknowledged = new Set<Id<'delivery'>>()
  const ended: Id<'delivery'>[] = []
  const taken = new Set<Id<'delivery'>>()
  const sentOnce = new Map<string, string>()
  const inFlight = new Map<string, number>()
  const report: Report = { deliveries: 0, sends: 0, crashes: 0, duplicates: 0 }
  /** Attempts that may be made again: those that were open when their process crashed or lost its lease. */
  const pardoned = new Set<string>()
  function pardon(process: Process): void {
    for (const name of process.open.keys()) pardoned.add(name)
  }
  let processes: Process[] = []
  let born = 0
  let named = 0
  /** Ids in the order of their making, the same for the same seed. */
  function newId<K extends Kind>(kind: K): Id<K> {
    named += 1
    return `${kind}_${String(named).padStart(6, '0')}` as Id<K>
  }

  /** Kept until the step has ended: the engine survives what is thrown at it. */
  let failure: SimulationError | undefined
  function broken(message: string): SimulationError {
    failure ??= new SimulationError(`seed ${seed}: ${message}\n${world.notes().slice(-60).join('\n')}`)
    return failure
  }

  function deliver(
    process: Process,
    url: string,
    id: Id<'delivery'>,
    attempt: number,
  ): { sent: Sent; after: Millis } {
    const row = disk.rows.get(id)
    const webhook = disk.webhooks.get(url as Id<'webhook'>)
    if (row === undefined || webhook === undefined) throw broken(`${id} is sent, and is not on the disk`)
    const now = world.now()
    report.sends += 1
    world.note(`${process.name} sends ${id.slice(-6)} to ${characters.get(url)}, attempt ${attempt}`)
    if (webhook.status !== 'active' && now > webhook.changedAt)
      broken(`${id} is sent while its webhook is ${webhook.status}`)
    if (now > Math.max(row.horizon, (webhook.resumedAt ?? Number.NEGATIVE_INFINITY) + HORIZON))
      broken(`${id} is sent after its horizon`)
    const name = `${id}/${attempt}`
    if (sentOnce.has(name)) {
      report.duplicates += 1
      if (!pardoned.delete(name))
        broken(`${name} is sent by ${process.name} and was by ${sentOnce.get(name)}, and nothing had crashed`)
    } else if (row.due !== null && now < row.due) {
      broken(`${name} is sent ${row.due - now} ms before it is due`)
    }
    sentOnce.set(name, process.name)
    const lane = `${process.name} ${url}`
    const flying = (inFlight.get(lane) ?? 0) + 1
    inFlight.set(lane, flying)
    if (flying > webhook.maxInFlight)
      broken(`${flying} in flight to a webhook that takes ${webhook.maxInFlight}`)
    const { result, after, isTaken } = treat(characters.get(url) as Character, dice, now, healsAt)
    if (isTaken) taken.add(id)
    world.after(after, () => inFlight.set(lane, (inFlight.get(lane) ?? 1) - 1))
    const sent = {
      result,
      durationMs: after,
      secretIndex: 0,
      requestHeaders: {},
      responseHeaders: null,
      responseBody: null,
      error: null,
    }
    return { sent, after }
  }

  function start(): void {
    born += 1
    const process = startProcess({ name: `p${born}`, world, dice, weather, store, pace, deliver })
    processes.push(process)
    // A start may fail while the store does; whoever supervises the process starts it again.
    process.worker.start().catch(() => {
      if (processes.includes(process)) crash(process)
    })
  }

  function restart(process: Process): void {
    processes = processes.filter((other) => other !== process)
    world.after(dice.between(0, 5 * SECOND), start)
  }

  function crash(process: Process): void {
    report.crashes += 1
    pardon(process)
    process.crash()
    restart(process)
  }

  /** As publish.ts does it: rows and claims in one commit, the handover after it, the answer last. */
  function publish(process: Process): void {
    const now = world.now()
    const eventId = newId('event')
    const rows = [...disk.webhooks.values()]
      .filter(({ status }) => status !== 'deleted' && dice.chance(0.6))
      .map((webhook): Row => {
        const claim = webhook.status === 'active' ? (process.worker.claimFor(webhook.id) ?? null) : null
        const names = {
          id: newId('delivery'),
          webhookId: webhook.id,
          organizationId: newId('organization'),
          eventId,
        }
        return {
          ...names,
          attempts: 0,
          dueAt: now,
          horizon: now + HORIZON,
          maxInFlight: webhook.maxInFlight,
          body: new Uint8Array(),
          status: 'pending',
          reason: null,
          due: now,
          claim,
          recorded: [],
        }
      })
    report.deliveries += rows.length
    const acknowledge = () => {
      for (const { id } of rows) acknowledged.add(id)
    }
    if (bug === 'acknowledged before the commit') acknowledge()
    world.after(dice.between(0, weather.latency), () => {
      if (!process.isAlive) return
      for (const row of rows) disk.rows.set(row.id, { ...row })
      world.after(dice.between(0, weather.latency), () => {
        if (!process.isAlive || dice.chance(weather.lostAnswer)) return
        acknowledge()
        process.worker.accept(
          rows.flatMap((row) => (row.claim === null ? [] : [{ job: { ...row }, claimer: row.claim }])),
          rows.flatMap((row) => (row.claim === null ? [row.webhookId] : [])),
        )
      })
    })
  }

  function change(webhook: Webhook): void {
    if (webhook.status === 'deleted') return
    const next = webhook.status === 'active' ? dice.pick(['paused', 'paused', 'deleted'] as const) : 'active'
    world.note(`webhook ${webhook.id.slice(-6)} becomes ${next}`)
    if (next === 'active') webhook.resumedAt = world.now()
    webhook.status = next
    webhook.changedAt = world.now()
    if (next === 'active' && dice.chance(0.5))
      for (const process of processes) process.worker.nudge(webhook.id)
  }

  const recorded = new Map<Id<'delivery'>, number>()

  function inspect(): void {
    if (failure !== undefined) throw failure
    for (const id of acknowledged) {
      const row = disk.rows.get(id)
      if (row === undefined) throw broken(`${id} was acknowledged and is lost`)
      if (row.status === 'failed' && row.reason === null) throw broken(`${id} failed without a reason`)
      if (row.status === 'delivered' && !taken.has(id))
        throw broken(`${id} is delivered, and its destination never took it`)
      if (row.recorded.length === recorded.get(id)) continue
      recorded.set(id, row.recorded.length)
      if (new Set(row.recorded).size !== row.recorded.length)
        throw broken(`${id} has two records of one attempt`)
      // What has ended stays so; only what is open is looked at again.
      if (row.status !== 'pending') ended.push(id)
    }
    for (const id of ended.splice(0)) acknowledged.delete(id)
  }

  for (let index = 0; index < dice.between(2, 7); index += 1) {
    const id = newId('webhook')
    disk.webhooks.set(id, {
      id,
      status: 'active',
      maxInFlight: dice.pick([1, 4, 16]),
      resumedAt: null,
      changedAt: 0,
    })
    characters.set(id, dice.pick(CHARACTERS))
  }
  for (let index = 0; index < dice.between(1, 3); index += 1) start()
  const calm = world.now() + STORM
  const sometimes = (chance: number, work: () => void) => {
    const again = () => {
      if (world.now() >= calm) return
      if (dice.chance(chance)) work()
      world.after(dice.between(SECOND, 20 * SECOND), again)
    }
    world.after(dice.between(0, 20 * SECOND), again)
  }
  sometimes(0.9, () => processes.length > 0 && publish(dice.pick(processes)))
  sometimes(0.3, () => {
    if (processes.length > 0)
      for (let burst = 0; burst < dice.between(5, 30); burst += 1) publish(dice.pick(processes))
  })
  sometimes(dice.pick([0, 0.1, 0.4]), () => processes.length > 0 && crash(dice.pick(processes)))
  sometimes(0.1, () => change(dice.pick([...disk.webhooks.values()])))
  sometimes(dice.pick([0, 0, 0.05]), () => {
    const delay = dice.between(SECOND, 5 * MINUTE)
    world.note(`the clock jumps ${delay} ms`)
    for (const process of processes) pardon(process)
    world.jump(delay)
  })

  await world.run(calm, inspect)
  Object.assign(weather, { latency: 2, failure: 0, lostAnswer: 0 })
  for (const webhook of disk.webhooks.values()) if (webhook.status === 'paused') change(webhook)
  await world.run(calm + (isLong(seed) ? 26 * HOUR : 15 * MINUTE), inspect)
  for (const row of disk.rows.values()) {
    const webhook = disk.webhooks.get(row.webhookId)
    const character = characters.get(row.webhookId)
    if (webhook?.status !== 'active' || row.status !== 'pending') continue
    if (isLong(seed))
      broken(`${row.id} to ${character} is pending after every horizon, claimed by ${row.claim}`)
    if (character === 'healthy')
      broken(`${row.id} to a healthy destination is pending after the storm, claimed by ${row.claim}`)
  }
  for (const process of processes) process.isAlive = false
  inspect()
  return report
}
