import { type Millis, SECOND, sleep } from '#src/core/clock.ts'
import type { Id } from '#src/core/id.ts'
import { circuitBreaker } from '#src/jobs/lanes/circuit-breaker.ts'
import { createJobShares } from '#src/jobs/lanes/job-shares.ts'
import { createLease, type Lease, type LeaseStore, type Pace } from '#src/jobs/lease/lease.ts'
import type { RowAttempt, RowJob } from '#src/jobs/rows/row.ts'
import { type Doing, type Outcome, type RowKind, rowKind } from '#src/jobs/rows/row-kind.ts'
import type { RowStore } from '#src/jobs/rows/row-store.ts'
import { createSuspects } from '#src/jobs/rows/suspects.ts'
import { assembleWorker } from '#src/jobs/worker/create-worker.ts'
import { createSettling } from '#src/jobs/worker/settling.ts'
import type { JobWorker } from '#src/jobs/worker/worker.ts'
import { createOperate, type StoreWeather } from '../operate.ts'
import type { Power } from '../power.ts'
import { clockOf, type Dice, type World } from '../world.ts'
import type { JobWatch } from './job-watch.ts'

/** What doing a job is like. */
export const CHARACTERS = ['quick', 'slow', 'fails', 'throws', 'endless', 'deadly', 'settles'] as const
export type Character = (typeof CHARACTERS)[number]

const MOST_IN_FLIGHT = 8

/** How long an attempt takes at most. */
export const LONGEST: Millis = 15 * SECOND
export const WAITS: readonly Millis[] = [SECOND, 5 * SECOND, 20 * SECOND]

/** One life of a process that does jobs in rows: the real engine and the real kind, in the time and with the store of the world. */
export interface JobProcess {
  readonly name: string
  readonly worker: JobWorker<RowJob>
  readonly lease: Lease
  readonly kind: RowKind
  isAlive: boolean
}

interface JobProcessDeps {
  name: string
  world: World
  dice: Dice
  weather: StoreWeather
  power: Power
  store: RowStore
  leases: LeaseStore
  isRepeatable: boolean
  pace: Pace
  watch: JobWatch
  /** Ends the process at once. */
  crash: (process: JobProcess) => void
  /** Tells the other processes something, or does not get through. */
  tell: (from: JobProcess, what: (other: JobProcess) => void) => void
}

const READS = new Set(['nextDue', 'dueOf', 'claimedBy', 'revoked'])
const silent = { info() {}, error() {} }

export function startJobProcess(deps: JobProcessDeps): JobProcess {
  const { name, world, dice, weather, power, store, leases, pace, watch, isRepeatable } = deps
  const clock = clockOf(world, () => process.isAlive)
  const { wait, alive, operate } = createOperate({
    ...{ name, world, dice, weather, power, reads: READS },
    isAlive: () => process.isAlive,
  })
  /** Something that writes. */
  const write = <T>(operation: string, work: () => Promise<T>) =>
    operate(operation, async () => {
      const answer = await work()
      watch.inspect()
      return answer
    })
  /** Under which name each job that may begin was claimed. */
  const claimers = new Map<Id<'job'>, string>()
  let lives = 0

  async function work(job: RowJob, { signal, attempt: own }: Doing): Promise<Outcome> {
    const token = `${job.id}/${name}.${world.elapsed()}`
    const claimer = claimers.get(job.id) ?? ''
    const attempt = { job, claimer, signal, token, isAlive: () => process.isAlive }
    world.note(`${attempt.claimer} begins ${shorten(job)}, attempt ${job.attempts + 1}, begun ${job.begun}`)
    watch.begins(attempt)
    try {
      return await labour(job, signal, token)
    } finally {
      watch.leaves(attempt)
    }

    async function labour(
      { payload, attempts }: RowJob,
      ending: AbortSignal,
      brings: string,
    ): Promise<Outcome> {
      const character = payload as Character
      for (let step = character === 'slow' ? 3 : 1; step > 0; step -= 1) {
        await wait(dice.between(0, 3 * SECOND))
        await alive(undefined)
        if (character === 'deadly') deps.crash(process)
        await alive(undefined)
        if (ending.aborted) return { retry: 'aborted' }
      }
      // Endless work ends only when it is aborted, and then reports success.
      if (character === 'endless') await new Promise((resolve) => ending.addEventListener('abort', resolve))
      if (character === 'fails') return attempts < 2 ? { retry: 'not_yet' } : { failed: 'broken' }
      if (character === 'throws' && dice.chance(0.7)) throw new Error('thrown')
      watch.brings(attempt)
      if (character === 'settles') await settleItself(own, brings)
      return { done: { token: brings } }
    }
  }

  /** As `Jobs.settleDone` in a transaction of the work; sometimes another transaction has locked the row. */
  async function settleItself(attempt: RowAttempt, token: string): Promise<void> {
    const { job, claimer } = attempt
    const settlement = { job, status: 'done', reason: null, result: { token }, dueAt: null } as const
    attempt.isSettled = await write('settleDone', async () => {
      if (dice.chance(0.2)) return false
      world.note(`${claimer} settles ${shorten(job)} in its work`)
      const settled = await store.unlocked?.settle(claimer, [settlement], world.now())
      return settled?.length === 1
    })
  }

  const watchedLeases: LeaseStore = {
    join: (id, until) => write('join', () => leases.join(id, until)),
    correct: (latest) => write('correct', () => leases.correct(latest)),
    keepAlive: (id, until, now) => write('keepAlive', () => leases.keepAlive(id, until, now)),
    removeDead: (...asked) => write('removeDead', () => leases.removeDead(...asked)),
    leave: (id) => write('leave', () => leases.leave(id)),
    interrupt: () => leases.interrupt(),
  }
  const watched: RowStore = {
    correctDue: (now) => write('correctDue', () => store.correctDue(now)),
    freeLost: (now) => write('freeLost', () => store.freeLost(now)),
    giveUp: (id) => write('giveUp', () => store.giveUp(id)),
    nextDue: (after) => operate('nextDue', () => store.nextDue(after)),
    dueOf: (lanes) => operate('dueOf', () => store.dueOf(lanes)),
    claimedBy: (id) => operate('claimedBy', () => store.claimedBy(id)),
    revoked: (attempts) => operate('revoked', () => store.revoked(attempts)),
    interrupt: () => store.interrupt(),
    claim: (id, wants, now) => write('claim', () => store.claim(id, wants, now)),
    release: (id, jobs) => write('release', () => store.release(id, jobs)),
    begin: (id, job) =>
      write('begin', async () => {
        const mayBegin = await store.begin(id, job)
        if (!mayBegin) return false
        watch.permits(job, id)
        claimers.set(job.id, id)
        power.tempt()
        return true
      }),
    advance: (id, job, begun) => write('advance', () => store.advance(id, job, begun)),
    settle: (id, settlements, now) =>
      write('settle', async () => {
        for (const { job, status } of settlements) world.note(`${id} settles ${shorten(job)}: ${status}`)
        await store.settle(id, settlements, now)
      }),
  }
  const about = { clock, log: silent, store: watched, shared: true }
  const kind = rowKind({
    ...about,
    suspects: createSuspects(clock),
    handler: { kind: 'job', longest: LONGEST, waits: WAITS, isRepeatable, work },
  })
  const { behalfOf } = kind
  function newName(): string {
    lives += 1
    return `${name}.${lives}`
  }
  const lease = createLease({ clock, store: watchedLeases, log: silent, shared: true, pace, newName })
  const process: JobProcess = {
    name,
    isAlive: true,
    ...{ kind, lease },
    worker: assembleWorker(
      kind,
      {
        ...{ ...about, lease },
        shares: createJobShares(LONGEST, { inFlight: MOST_IN_FLIGHT }),
        pace,
        notifyWorkers: () => deps.tell(process, (other) => other.worker.poll()),
      },
      {
        rules: circuitBreaker,
        settling: createSettling({ ...about, isFar: true, behalfOf, rest: (delay) => sleep(clock, delay) }),
      },
    ),
  }
  return process
}

function shorten({ id }: { id: string }): string {
  return id.slice(-4)
}
