import { DAY, type Millis, SECOND, sleep } from '#src/core/clock.ts'
import { newId } from '#src/core/id.ts'
import type { Job, Settlement } from '#src/jobs/job.ts'
import type { Due, JobStore } from '#src/jobs/job-store.ts'
import { circuitBreaker } from '#src/jobs/lanes/circuit-breaker.ts'
import { createJobShares } from '#src/jobs/lanes/job-shares.ts'
import { createLease, PACE } from '#src/jobs/lease/lease.ts'
import { assembleWorker } from '#src/jobs/worker/create-worker.ts'
import { createSettling } from '#src/jobs/worker/settling.ts'
import type { JobKind, JobWorker } from '#src/jobs/worker/worker.ts'
import { createModelClaims, createModelLeases, type ModelWorker } from './workers.ts'
import { clockOf, createDice, createWorld } from './world.ts'

/** A load of jobs of one lane, each process adding as many: the real worker over a model of the table, in virtual time. */
export interface SteadyLoad {
  processes: number
  perSecond: number
  /** Jobs that are added at once, beside the load, in the first second. */
  burst: number
  cap: number
  seconds: number
}

/** What happened in one second. */
export interface Second {
  added: number
  /** Jobs that came into a process by a claim of the table, and the statements for it. */
  claimed: number
  claims: number
}

interface Row extends Job {
  status: 'pending'
  due: Millis
  claim: string | null
  updatedAt: Millis
}

const LANE = 'lane'
const LONGEST: Millis = 15 * SECOND
/** How long a statement, an attempt and a notice to another process take at most. */
const [STATEMENT, ATTEMPT, NOTICE]: Millis[] = [4, 5, 5]
/** Jobs are added so often. */
const TICK: Millis = 2

/** @returns each second of the load */
export async function simulateSteadyLoad(load: SteadyLoad): Promise<Second[]> {
  const { processes, perSecond, burst, cap, seconds } = load
  const world = createWorld()
  const dice = createDice(1)
  const clock = clockOf(world, () => true)
  const rows = new Map<string, Row>()
  const workers = new Map<string, ModelWorker>()
  const organizationId = newId('organization', world.now())
  const terms = { cap, perSecond: null }
  let [added, claimed, claims] = [0, 0, 0]

  const wait = (most: Millis | undefined) =>
    new Promise<void>((resolve) => void world.after(dice.between(1, most ?? 1), resolve))
  async function operate<T>(work: () => T | Promise<T>): Promise<T> {
    await wait(STATEMENT)
    return await work()
  }

  const unclaimed = () => [...rows.values()].filter(({ claim }) => claim === null)
  function nextDue(): Due<Job>[] {
    const [first] = unclaimed()
    return first === undefined ? [] : [{ laneId: LANE, organizationId, dueAt: first.due, terms }]
  }
  function claim(workerId: string, some: Row[]): Job[] {
    claimed += some.length
    return some.map((row) => {
      row.claim = workerId
      return { ...row }
    })
  }
  function free(workerId: string, ids: string[], change: (row: Row) => void): void {
    for (const id of ids) {
      const row = rows.get(id)
      if (row?.claim === workerId) change(row)
    }
  }

  const model = createModelClaims({ disk: { rows, workers } })
  const leases = createModelLeases({ disk: { rows, workers }, shared: true })
  const store: JobStore<Job> = {
    ...model,
    nextDue: () => operate(() => ({ due: nextDue(), after: undefined })),
    dueOf: () => operate(nextDue),
    claim: (workerId, wants) =>
      operate(() => {
        claims += 1
        return wants.flatMap(({ limit }) => claim(workerId, unclaimed().slice(0, limit)))
      }),
    claimedBy: (workerId) =>
      operate(() => [...rows.values()].flatMap((row) => (row.claim === workerId ? [row.id] : []))),
    release: (workerId, jobs) =>
      operate(() =>
        free(
          workerId,
          jobs.map(({ id }) => id),
          (row) => {
            row.claim = null
          },
        ),
      ),
    interrupt() {},
    settle: (workerId, settlements) =>
      operate(() =>
        free(
          workerId,
          settlements.map(({ job }) => job.id),
          (row) => void rows.delete(row.id),
        ),
      ),
  }
  const kind: JobKind<Job, Settlement<Job>> = {
    ...{ name: 'steady', laneName: LANE, longest: LONGEST, store },
    afterPoll: async () => [],
    prepare: async (job) => async () => {
      const startedAt = clock.now()
      await wait(ATTEMPT)
      const durationMs = clock.now() - startedAt
      return { settlement: { job, dueAt: null }, learnt: { isReachable: true, cap, startedAt, durationMs } }
    },
  }

  const all: JobWorker<Job>[] = []
  async function start(): Promise<void> {
    const tell = (what: (other: JobWorker<Job>) => void) => {
      for (const other of all)
        if (other !== worker) world.after(dice.between(1, NOTICE ?? 1), () => what(other))
    }
    const log = { info() {}, error() {} }
    const lease = createLease({ clock, store: leases, log, shared: true })
    const about = { clock, lease, shared: true, log }
    const worker = assembleWorker(
      kind,
      {
        ...about,
        shares: createJobShares(LONGEST),
        notifyOwner: (laneId) => tell((other) => other.arrived(laneId)),
        notifyWorkers: () => tell((other) => other.agree()),
      },
      {
        rules: circuitBreaker,
        settling: createSettling({ ...about, store, isFar: true, rest: (delay) => sleep(clock, delay) }),
      },
    )
    all.push(worker)
    await lease.start()
    await worker.start()
  }

  /** One commit of new jobs at a process. */
  async function add(worker: JobWorker<Job>, count: number): Promise<void> {
    const dueAt = clock.now()
    const some = Array.from({ length: count }, (_, index): Row => {
      const id = String(added + index).padStart(9, '0')
      const lane = { laneId: LANE, organizationId, ...terms }
      const job = { ...lane, id, attempts: 0, dueAt, horizon: dueAt + DAY, bytes: 1, body: undefined }
      const claimer = worker.claimFor(lane) ?? null
      return { ...job, status: 'pending', due: dueAt, claim: claimer, updatedAt: dueAt }
    })
    added += count
    await operate(() => {
      for (const row of some) rows.set(row.id, row)
    })
    worker.accept(
      some.flatMap(({ claim: claimer, ...job }) => (claimer === null ? [] : [{ job, claimer }])),
      some.some((row) => row.claim === null) ? [LANE] : [],
    )
  }

  const pass = (time: Millis) => world.run(world.elapsed() + time, () => {})
  const addToEach = (count: number) => {
    for (const worker of all) void add(worker, Math.round(count / processes))
  }
  for (let count = 0; count < processes; count += 1) {
    await Promise.all([start(), pass(2 * PACE.poll)])
    await pass(2 * PACE.poll)
  }
  const report: Second[] = []
  for (let second = 0; second < seconds; second += 1) {
    const before = { added, claimed, claims }
    if (second === 0) addToEach(burst)
    for (let passed = 0; passed < SECOND; passed += TICK) {
      addToEach((perSecond * TICK) / SECOND)
      await pass(TICK)
    }
    report.push({
      added: added - before.added,
      claimed: claimed - before.claimed,
      claims: claims - before.claims,
    })
  }
  return report
}
