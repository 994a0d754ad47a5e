import { MINUTE, type Millis, SECOND } from '#src/core/clock.ts'
import { type Id, idFloor } from '#src/core/id.ts'
import type { Pace } from '#src/jobs/lease/lease.ts'
import type { StoreWeather } from '../operate.ts'
import { createPower } from '../power.ts'
import { SimulationError } from '../simulate.ts'
import type { NewId } from '../store.ts'
import { createModelLeases } from '../workers.ts'
import { createDice, createWorld } from '../world.ts'
import type { JobBug } from './job-bugs.ts'
import { CHARACTERS, type JobProcess, LONGEST, startJobProcess } from './job-process.ts'
import { createJobWatch } from './job-watch.ts'
import { cancelRow, createJobDisk, createModelRows, writeRow } from './row-model.ts'

/** The counts of one seed. */
export interface JobReport {
  jobs: number
  done: number
  crashes: number
  /** Jobs that failed because three processes died in them. */
  crashed: number
  /** Jobs that failed because the outcome of an attempt is unknown and the kind may not repeat it. */
  unknown: number
  cancelled: number
}

const STORM = 2 * MINUTE
/** The end of a run, after every horizon and the attempts that follow it. */
const CALM = 5 * MINUTE
const PACE: Pace = { lease: 30 * SECOND, heartbeat: 8 * SECOND, poll: 4 * SECOND }
/** How long after its horizon a job may end: one attempt, or the lease of a dead process, and the polls between. */
const LATENESS: Millis = LONGEST + PACE.lease + 4 * PACE.poll
const HEARING: Millis = 3 * PACE.poll
/** How long a notification is under way at most. */
const NOTIFIED: Millis = 25
const LANES = ['a', 'b', 'c']

/**
 * Runs the real engine with the real kind of jobs in rows on virtual time, under the faults of a seed: processes that crash
 * between any two writes or in their work; a store that is slow, fails, loses answers or power; work that takes long, never
 * ends, throws or fails; people who cancel at any moment; time that jumps. In half of the seeds jobs may be repeated.
 *
 * After every write: a job that may not be repeated has begun once for each result, another at most three times; a cancelled job
 * does not begin; an ended job does not change, is done only with the result of its own attempt, and fails as crashing only after
 * three deaths. In calm weather every job ends soon after its horizon, and attempts of cancelled jobs are aborted.
 *
 * @param bug is planted to see that it is found
 * @throws SimulationError
 */
export async function simulateJobs(seed: number, bug?: JobBug): Promise<JobReport> {
  const dice = createDice(seed)
  const world = createWorld()
  const disk = createJobDisk()
  let named = 0
  const newId: NewId = (kind, now) => {
    named += 1
    return `${idFloor(kind, now).slice(0, -12)}${String(named).padStart(12, '0')}` as Id<typeof kind>
  }
  const leases = createModelLeases({ disk, shared: true, bug })
  const report: JobReport = { jobs: 0, done: 0, crashes: 0, crashed: 0, unknown: 0, cancelled: 0 }
  const isRepeatable = seed % 2 === 0
  const store = createModelRows({ disk, bug })
  const weather: StoreWeather = {
    latency: dice.pick([0, 2, 20, 1_000]),
    failure: dice.pick([0, 0, 0.02, 0.2]),
    lostAnswer: dice.pick([0, 0, 0.02, 0.1]),
  }
  const power = createPower(world, dice, () => {})
  /** Thrown after the step, because the engine catches errors inside it. */
  let failure: SimulationError | undefined
  function broken(message: string): SimulationError {
    failure ??= new SimulationError(`seed ${seed}: ${message}\n${world.notes().slice(-60).join('\n')}`)
    return failure
  }
  const watch = createJobWatch({
    ...{ world, disk, isRepeatable, broken },
    lateness: LATENESS,
    hearing: HEARING,
  })
  let processes: JobProcess[] = []
  let born = 0

  /** As a notification does: soon after, or never. */
  function tell(from: JobProcess | undefined, what: (other: JobProcess) => void): void {
    for (const other of processes) {
      if (other === from || dice.chance(weather.lostAnswer)) continue
      world.after(dice.between(0, NOTIFIED), () => {
        if (other.isAlive) what(other)
      })
    }
  }

  function start(): void {
    born += 1
    const process = startJobProcess({
      ...{ name: `p${born}`, world, dice, weather, power, store, leases, isRepeatable },
      ...{ watch, crash, tell },
      pace: PACE,
    })
    processes.push(process)
    // A start fails while the store does; the supervisor starts the process again.
    process.lease
      .start()
      .then(() => process.worker.start())
      .catch(() => crash(process))
  }

  function crash(process: JobProcess): void {
    if (!process.isAlive) return
    report.crashes += 1
    world.note(`${process.name} crashes`)
    watch.crashes()
    process.isAlive = false
    processes = processes.filter((other) => other !== process)
    world.after(dice.between(0, 5 * SECOND), start)
  }

  /** Stops a process: it ends its attempts first. */
  function end(process: JobProcess): void {
    world.note(`${process.name} is told to end`)
    processes = processes.filter((other) => other !== process)
    process.kind.endAll()
    process.lease.retire()
    void process.worker
      .stop()
      .finally(() => process.lease.stop())
      .then(
        () => {
          process.isAlive = false
        },
        () => {},
      )
    world.after(dice.between(0, 5 * SECOND), start)
  }

  const organizations = [newId('organization', world.now()), newId('organization', world.now())] as const

  /** As `Jobs.add`: claimed at once where there is room, and handed to the worker after the commit. */
  function add(process: JobProcess): void {
    const now = world.now()
    const laneId = dice.pick(LANES)
    const lane = {
      laneId,
      organizationId: organizations[laneId === 'a' ? 0 : 1],
      cap: 1 + LANES.indexOf(laneId),
    }
    const claimer = dice.chance(0.5) ? process.worker.claimFor({ ...lane, perSecond: null }) : undefined
    const payload = dice.pick([...CHARACTERS, 'quick', 'slow'])
    const life = { dueAt: now, horizon: now + dice.between(20 * SECOND, 2 * MINUTE) }
    world.after(dice.between(0, weather.latency), () => {
      const job = writeRow(disk, { ...lane, payload, ...life, claimer }, newId('job', now), now)
      report.jobs += 1
      world.note(`${job.id.slice(-4)} is written: ${payload}, for ${claimer ?? 'anybody'}`)
      world.after(dice.between(0, weather.latency), () => {
        if (!process.isAlive) return
        if (claimer !== undefined) process.worker.accept([{ job, claimer }], [])
        else tell(undefined, (other) => other.worker.wake(laneId))
      })
    })
  }

  function someJob(): Id<'job'> | undefined {
    const ids = [...disk.rows.keys()].slice(-12)
    return ids.length === 0 ? undefined : dice.pick(ids)
  }

  /** As `jobs.cancel` does it. */
  function cancel(): void {
    const id = someJob()
    if (id === undefined) return
    const status = cancelRow(disk, id, world.now())
    world.note(`${id.slice(-4)} is to be cancelled: ${status}`)
    watch.inspect()
    if (status === 'pending') tell(undefined, ({ kind }) => kind.cancel(id))
  }

  /** Does something again and again, by chance, until so much time has passed. */
  function sometimes(until: Millis, chance: number, work: () => void): void {
    const once = () => {
      if (world.elapsed() >= until) return
      if (dice.chance(chance)) work()
      world.after(dice.between(SECOND, 10 * SECOND), once)
    }
    world.after(dice.between(0, 10 * SECOND), once)
  }
  const withSomeone = (work: (process: JobProcess) => void) => () => {
    if (processes.length > 0) work(dice.pick(processes))
  }

  function look(): void {
    if (failure !== undefined) throw failure
  }

  for (let count = dice.between(1, 3); count > 0; count -= 1) start()
  sometimes(
    STORM,
    0.8,
    withSomeone((process) => {
      for (let times = dice.between(1, 3); times > 0; times -= 1) add(process)
    }),
  )
  sometimes(STORM, 0.5, cancel)
  sometimes(STORM, dice.pick([0, 0.1, 0.3]), withSomeone(crash))
  sometimes(STORM, dice.pick([0, 0.1]), withSomeone(end))
  sometimes(STORM, dice.pick([0, 0, 0.1]), () => {
    const delay = dice.between(SECOND, MINUTE)
    world.note(`time jumps ${delay} ms`)
    world.jump(delay)
  })
  await world.run(STORM, look)
  Object.assign(weather, { latency: 2, failure: 0, lostAnswer: 0 })
  power.steady()
  watch.calms()
  sometimes(STORM + MINUTE, 0.4, withSomeone(add))
  sometimes(STORM + MINUTE, 0.3, cancel)
  sometimes(STORM + CALM, 1, watch.overdue)
  await world.run(STORM + CALM, look)
  watch.overdue()
  look()
  for (const process of processes) process.isAlive = false
  for (const { id, status, reason } of disk.rows.values()) {
    if (status === 'pending') throw broken(`${id} has not ended`)
    if (status === 'done') report.done += 1
    if (status === 'cancelled') report.cancelled += 1
    if (reason === 'crashed_repeatedly') report.crashed += 1
    if (reason === 'outcome_unknown') report.unknown += 1
  }
  return report
}
