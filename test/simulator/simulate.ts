import { DAY, HOUR, MINUTE, type Millis, SECOND } from '#src/core/clock.ts'
import { type Id, idFloor } from '#src/core/id.ts'
import type { DeliveryWorker } from '#src/delivery/delivery-worker.ts'
import type { Pace } from '#src/jobs/lease/lease.ts'
import type { Bug } from './bugs.ts'
import { createChanges } from './changes.ts'
import { CHARACTERS, type Character } from './destinations.ts'
import { createModelFanOuts } from './fan-outs.ts'
import { FEW, isNoisy, makeNoise, NOISY_WEBHOOKS } from './noise.ts'
import { createPower } from './power.ts'
import { type Process, startProcess, type Weather } from './process.ts'
import { createPublishing } from './publishing.ts'
import { createReception } from './reception.ts'
import { moveReplays, newestOf } from './replays.ts'
import { createDisk, createModelStore, type NewId, type Row, type Webhook } from './store.ts'
import { createWatch } from './watch.ts'
import { createWide, isWide, WIDE_STEP, WIDE_WEBHOOKS } from './wide.ts'
import { createModelLeases } from './workers.ts'
import { createDice, createWorld } from './world.ts'

/** The counts of one seed. */
export interface Report {
  deliveries: number
  sends: number
  crashes: number
  duplicates: number
  /** Calls that the receiver refused because it holds an older secret, and that were made again with that. */
  resent: number
  /** Deliveries that replays made. */
  replayed: number
  /** Lanes that were parked. */
  parked: number
  /** How often the power failed. */
  cuts: number
  /** Deliveries that were written in steps. */
  stepped: number
}

/** An invariant broke; the message holds what led to it, and the seed repeats it. */
export class SimulationError extends Error {
  override readonly name = 'SimulationError'
}

/** The length of the part with faults; a calm part follows, in which the system recovers. */
const STORM = 4 * MINUTE
const CALM = 16 * MINUTE
/** Events of the storm end before the last is published, and that one before the end. */
const LONG_CALM = 54 * HOUR
const LAST_PUBLISHED = 28 * HOUR
const LONELY_AGAIN = 26 * HOUR

const MOST_PROCESSES = 4
/** How long a notification is under way at most. */
const NOTIFIED: Millis = 25

const FIRST_SECRET = 'whsec_Zmlyc3Q='

/** Short runs end soon after the storm; every twentieth lasts until every horizon has passed. */
const isLong = (seed: number) => seed % 20 === 0
/** In every four hundredth, more wait for a destination that is never there than are tried in a pause's time. */
const isCrowded = (seed: number) => seed % 400 === 0
const CROWD = 200
/** In every third, requests go the whole way through the real sender, and secrets are rotated. */
const isWhole = (seed: number) => seed % 3 === 0
const PACE_SHORT: Pace = { lease: 60 * SECOND, heartbeat: 15 * SECOND, poll: 5 * SECOND }
const PACE_LONG: Pace = { lease: 20 * MINUTE, heartbeat: 5 * MINUTE, poll: 2 * MINUTE }

/**
 * Runs the real delivery engine on virtual time under the faults of a seed: processes that crash at any wait, a
 * store that is slow, fails, loses its answers or its power, destinations of every character, clocks that jump and are set back,
 * webhooks that are paused, resumed and deleted, secrets that are rotated, replays, and retries by hand.
 *
 * After every step: acknowledged deliveries are delivered, pending, or failed with a reason; none is sent after its horizon,
 * after its webhook's deletion, while paused, or before it is due; never more are in flight than the cap, one from a parked lane;
 * never more are sent twice than were in flight at a crash; each receiver with a live secret can verify; replays and steps make
 * each delivery once; and in calm weather deliveries of healthy destinations, and lone ones, do not wait.
 *
 * @param bug is planted to see that it is found
 * @throws SimulationError
 */
export async function simulate(seed: number, bug?: Bug): Promise<Report> {
  const dice = createDice(seed)
  const world = createWorld()
  const disk = createDisk()
  let named = 0
  /** Ids in the order of their moments and then of their making, the same for the same seed. */
  const newId: NewId = (kind, now) => {
    named += 1
    return `${idFloor(kind, now).slice(0, -12)}${String(named).padStart(12, '0')}` as Id<typeof kind>
  }
  const model = createModelStore({ disk, newId, bug })
  const leases = createModelLeases({ disk, shared: true, bug })
  // Dice of their own, so that the rest of the seed does not change with them.
  const chance = createDice(~seed)
  /** The processes share the machine of the store, and go with it. */
  const isOneMachine = chance.chance(0.3)
  const power = createPower(world, chance, () => {
    report.cuts += 1
    if (isOneMachine) for (const process of [...processes]) crash(process)
  })
  const weather: Weather = {
    latency: dice.pick([0, 2, 20, 2_000]),
    failure: dice.pick([0, 0, 0.02, 0.2]),
    lostAnswer: dice.pick([0, 0, 0.02, 0.1]),
    dividing: dice.pick([0, 20 * SECOND]),
  }
  /** Lost answers and set clocks may change the order of jobs in the table. */
  let isOrdered = weather.failure === 0 && weather.lostAnswer === 0
  const pace = isLong(seed) ? PACE_LONG : PACE_SHORT
  const calm = isLong(seed) ? LONG_CALM : CALM
  const characters = new Map<Id<'webhook'>, Character>()
  const report: Report = {
    deliveries: 0,
    sends: 0,
    crashes: 0,
    duplicates: 0,
    resent: 0,
    replayed: 0,
    parked: 0,
    cuts: 0,
    stepped: 0,
  }
  const [organization, noisy, quiet] = ['ordinary', 'noisy', 'quiet'].map(() =>
    newId('organization', world.now()),
  ) as [Id<'organization'>, Id<'organization'>, Id<'organization'>]
  const large = isWide(seed) ? newId('organization', world.now()) : undefined
  let processes: Process[] = []
  /** Processes that are stopping. */
  const ending = new Set<Process>()
  let born = 0

  /** Thrown after the step, because the engine catches errors inside it. */
  let failure: SimulationError | undefined
  function broken(message: string): SimulationError {
    failure ??= new SimulationError(`seed ${seed}: ${message}\n${world.notes().slice(-60).join('\n')}`)
    return failure
  }
  const watch = createWatch({
    world,
    disk,
    characters,
    broken,
    onParked: () => (report.parked += 1),
    recovery: isLong(seed) ? HOUR : 14 * MINUTE,
    takeover: pace.lease + 2 * pace.poll,
    isCrowded: isNoisy(seed),
    isOrdered: () => isOrdered && report.cuts === 0,
    isOwner: (name, laneId) =>
      [...processes, ...ending].find((one) => one.name === name)?.worker.isOwner(laneId) ?? false,
    // Deliveries that are written in steps are as late as their step.
    isPrompt: ({ organizationId }) =>
      organizationId !== large && (!isNoisy(seed) || organizationId === quiet),
  })
  const healsAt = world.now() + dice.between(0, STORM + 8 * MINUTE)
  const reception = createReception({ world, dice, disk, characters, watch, report, healsAt, broken })
  const store: typeof model = {
    ...model,
    async stepReplays(now) {
      // Skipped where no replay runs, which is the usual case.
      const isAny = disk.replays.values().some(({ status }) => status === 'running')
      const newest = isAny ? newestOf(disk.rows.values()) : undefined
      const stepped = await model.stepReplays(now)
      if (newest !== undefined) watch.steps(newest)
      return stepped
    },
  }

  async function free(workerId: string, now: Millis): Promise<void> {
    const claims: { row: Row; claim: string }[] = []
    for (const row of disk.rows.values()) if (row.claim !== null) claims.push({ row, claim: row.claim })
    await model.freeLost(now)
    const freed = claims.filter(({ row }) => row.claim === null)
    if (freed.length > 0)
      world.note(`${workerId} frees ${freed.map(({ row }) => row.id.slice(-6)).join(' ')}`)
    for (const { row, claim } of freed) reception.frees([...processes, ...ending], row, claim, workerId)
  }

  /** Checks stay as strict: clocks that are set back only make waits longer. */
  function setBack(): void {
    isOrdered = false
    const by = dice.between(SECOND, MINUTE)
    world.note(`the clocks are set back ${by} ms`)
    world.setClocks(-by)
  }

  /** As a notification does: soon after, or never. */
  function tell(from: Process, what: (other: DeliveryWorker) => void): void {
    for (const other of processes) {
      if (other === from || dice.chance(weather.lostAnswer)) continue
      world.after(dice.between(0, NOTIFIED), () => {
        if (other.isAlive) what(other.worker)
      })
    }
  }

  function start(): void {
    born += 1
    watch.moves()
    const process = startProcess({
      name: `p${born}`,
      world,
      dice,
      weather,
      power,
      store,
      leases,
      free,
      pace,
      watch,
      call: reception.call,
      isWhole: isWhole(seed),
      limits: isNoisy(seed) ? FEW : undefined,
      slowNames: isNoisy(seed) ? { organizationId: noisy, broken } : undefined,
      bug,
      unclaim: (jobs, claimer) => void model.release(claimer, jobs),
      moveReplays: () => moveReplays(disk),
      wide: wide && { store: fanOuts, wide },
      tell,
    })
    processes.push(process)
    // A start fails while the store does; the supervisor starts the process again.
    startParts(process).then(
      () => process.fanOut?.start(),
      () => {
        if (processes.includes(process)) crash(process)
      },
    )
  }

  async function startParts({ lease, worker }: Process): Promise<void> {
    await lease.start()
    await worker.start()
  }

  function crash(process: Process): void {
    report.crashes += 1
    reception.pardon(process)
    process.crash()
    watch.crashes(process.name)
    processes = processes.filter((other) => other !== process)
    world.after(dice.between(0, 5 * SECOND), start)
  }

  /** Stops a process: it gives up its lanes as its attempts end. */
  function end(process: Process): void {
    world.note(`${process.name} is told to end`)
    watch.moves()
    processes = processes.filter((other) => other !== process)
    ending.add(process)
    void stop(process).then(() => {
      world.note(`${process.name} has ended`)
      process.isAlive = false
      ending.delete(process)
    })
  }

  const fanOuts = createModelFanOuts({ disk, newId, step: WIDE_STEP })
  const wideWebhooks: Webhook[] = []
  const wide = isWide(seed)
    ? createWide({ world, dice, weather, power, disk, newId, report, watch, webhooks: wideWebhooks, broken })
    : undefined

  async function stop({ fanOut, lease, worker }: Process): Promise<void> {
    lease.retire()
    await fanOut?.stop()
    await worker.stop().finally(lease.stop)
  }

  const { publish, retry, inspect } = createPublishing({
    world,
    dice,
    weather,
    power,
    disk,
    newId,
    watch,
    report,
    taken: reception.taken,
    broken,
    bug,
    tell,
  })
  const { change, rotate, replay } = createChanges({ world, dice, disk, newId, processes: () => processes })
  const someone = () => (processes.length === 0 ? undefined : dice.pick(processes))
  const someWebhook = () => dice.pick([...disk.webhooks.values()].filter(({ appetite }) => appetite > 0))

  /** Does something again and again, by chance, until so much time has passed. */
  function sometimes(until: Millis, pause: Millis, chance: number, work: () => void): void {
    const again = () => {
      if (world.elapsed() >= until) return
      if (dice.chance(chance)) work()
      world.after(dice.between(pause / 20, pause), again)
    }
    world.after(dice.between(0, pause), again)
  }
  function withSomeone(work: (process: Process) => void): () => void {
    return () => {
      const process = someone()
      if (process !== undefined) work(process)
    }
  }

  function register(character: Character, appetite: number, organizationId = organization): Webhook {
    const webhook: Webhook = {
      id: newId('webhook', world.now()),
      organizationId,
      status: 'active',
      maxInFlight: dice.pick([1, 4, 16]),
      maxPerSecond: null,
      isListener: false,
      resumedAt: null,
      changedAt: 0,
      secrets: [{ text: FIRST_SECRET, expiresAt: null }],
      held: FIRST_SECRET,
      appetite,
    }
    disk.webhooks.set(webhook.id, webhook)
    characters.set(webhook.id, character)
    return webhook
  }

  // Some webhooks get few events, because a lone delivery keeps its schedule.
  for (let index = 0; index < dice.between(2, 7); index += 1)
    register(dice.pick(CHARACTERS), dice.pick([0.6, 0.6, 0.6, 0.03]))
  if (isLong(seed)) {
    // One delivery until it has failed, and then another, to a destination that is never there.
    const lonely = register('refusing', 0)
    for (const moment of [SECOND, LONELY_AGAIN])
      world.after(moment, () => withSomeone((process) => publish(process, lonely))())
  }
  if (isCrowded(seed)) {
    const crowded = register('refusing', 0)
    world.after(STORM + MINUTE, () => {
      for (let index = 0; index < CROWD; index += 1) withSomeone((process) => publish(process, crowded))()
    })
  }
  if (isNoisy(seed)) {
    for (let index = 0; index < dice.between(1, 3); index += 1) register('healthy', 0.6, quiet)
    const webhooks = Array.from({ length: NOISY_WEBHOOKS }, () => register('tarpit', 0, noisy))
    makeNoise(world, webhooks, (webhook) => withSomeone((process) => publish(process, webhook))())
  }
  if (wide !== undefined)
    for (let index = 0; index < WIDE_WEBHOOKS; index += 1)
      wideWebhooks.push(register(dice.pick(CHARACTERS), 0, large))
  for (let index = 0; index < dice.between(1, 3); index += 1) start()
  const tick = 20 * SECOND
  sometimes(
    STORM,
    tick,
    0.9,
    withSomeone((process) => publish(process)),
  )
  sometimes(
    STORM,
    tick,
    0.3,
    withSomeone(() => {
      for (let burst = 0; burst < dice.between(5, 30); burst += 1)
        withSomeone((process) => publish(process))()
    }),
  )
  sometimes(STORM, tick, dice.pick([0, 0.1, 0.4]), withSomeone(crash))
  if (wide !== undefined) {
    sometimes(STORM, tick, 0.5, withSomeone(wide.publish))
    sometimes(STORM, tick, 0.1, () => change(dice.pick(wideWebhooks)))
  }
  sometimes(STORM, tick, 0.1, () => change(someWebhook()))
  sometimes(STORM, tick, 0.1, withSomeone(retry))
  sometimes(STORM, tick, dice.pick([0, 0, 0.1]), () => replay(someWebhook()))
  if (isWhole(seed)) sometimes(STORM, tick, 0.2, () => rotate(someWebhook()))
  sometimes(STORM, tick, dice.pick([0, 0, 0.05]), () => {
    const delay = dice.between(SECOND, 5 * MINUTE)
    world.note(`time jumps ${delay} ms`)
    world.jump(delay)
  })
  // The clocks are set forward by hours and corrected later; moments written in between must not be waited for. Secrets also
  // expire by the clock, so they are not rotated in these seeds.
  if (!isWhole(seed) && dice.chance(0.2)) {
    const by = dice.between(HOUR, 3 * DAY)
    isOrdered = false
    world.after(dice.between(0, STORM / 2), () => {
      world.note(`the clocks are set ${by} ms ahead`)
      world.setClocks(by)
      world.after(dice.between(SECOND, STORM / 2), () => {
        world.note('and corrected')
        world.setClocks(-by)
      })
    })
  }
  const unsteady = dice.pick([0, 0, 0.05])
  sometimes(STORM, tick, unsteady, setBack)
  sometimes(STORM, tick, unsteady, () => {
    // Before a replay has made its deliveries.
    replay(someWebhook())
    world.after(dice.between(0, SECOND), setBack)
  })

  await world.run(STORM, look)
  Object.assign(weather, { latency: 2, failure: 0, lostAnswer: 0, dividing: 0 })
  power.steady()
  watch.calms()
  for (const webhook of disk.webhooks.values()) if (webhook.status === 'paused') change(webhook)
  const published = isLong(seed) ? LAST_PUBLISHED : STORM + 10 * MINUTE
  const slowly = isLong(seed) ? HOUR : 2 * MINUTE
  sometimes(
    published,
    slowly,
    0.9,
    withSomeone((process) => publish(process)),
  )
  sometimes(published, slowly, 0.2, withSomeone(retry))
  // Orderly starts and stops must not disturb any check.
  if (chance.chance(0.5))
    sometimes(STORM + calm / 2, 4 * MINUTE, 0.6, () => {
      if (processes.length < 2 || (processes.length < MOST_PROCESSES && chance.chance(0.5))) start()
      else withSomeone(end)()
    })
  if (isWhole(seed)) sometimes(calm, slowly, 0.2, () => rotate(someWebhook()))
  sometimes(STORM + calm, isLong(seed) ? 2 * HOUR : 4 * MINUTE, 1, watch.overdue)
  await world.run(STORM + calm, look)
  watch.overdue()
  watch.replays()
  wide?.ends()
  for (const process of [...processes, ...ending]) process.isAlive = false
  for (const { madeOf } of disk.rows.values()) if (madeOf !== null) report.replayed += 1
  look()
  return report

  function look(): void {
    for (const process of processes) {
      if (!process.isDividing) continue
      process.isDividing = false
      watch.owns(process.name, (laneId) => process.worker.isOwner(laneId))
    }
    inspect()
    wide?.inspect()
    if (failure !== undefined) throw failure
  }
}
