import { type Millis, SECOND } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import { createWaits } from '../core/waits.ts'
import { afterCommit, type Tx } from '../db/database.ts'
import { type Handlers, idsOf } from '../db/notifier.ts'
import type { Shared } from '../shared/shared.ts'
import { createJobShares } from './lanes/job-shares.ts'
import type { Load } from './lanes/lanes.ts'
import type { Lease } from './lease/lease.ts'
import { type JobBacklog, readJobs } from './rows/backlog.ts'
import { addJobs, cancelJob, type NewJob, type RowAttempt, type RowJob } from './rows/row.ts'
import { type Handler, type RowKind, rowKind } from './rows/row-kind.ts'
import { settleDone } from './rows/row-settle.ts'
import { createRowStore, type OnSettled } from './rows/row-store.ts'
import { createSuspects } from './rows/suspects.ts'
import { createWorker } from './worker/create-worker.ts'
import type { JobWorker } from './worker/worker.ts'

/** A kind of job as a slice registers it. */
export interface KindOptions {
  /** Attempts of this process at once, shared fairly among organizations (`core/fair-limiter.ts`). */
  places: number
  /** Called for each settled job; a throw rolls back all settlements of its organization in the transaction. */
  onSettled?: OnSettled
  /** Called instead, for each failed job alone, by a kind that writes nothing for other results: these need no transaction. */
  onFailed?: OnSettled
}

/** A job as a slice adds it; without `cap` its lane may have all that the share of its organization allows. */
export type AddedJob = Omit<NewJob, 'claimer' | 'cap'> & Partial<Pick<NewJob, 'cap'>>

/** The jobs of all kinds that stand in rows of the `job` table. Slices add them; workers of any process do them. */
export interface Jobs {
  /** Lets this process do the jobs of a kind, unless its role is `api`. */
  register(handler: Handler, options: KindOptions): void
  /** Writes a job in the caller's transaction; it begins after the commit, when it is due. */
  add(tx: Tx, job: AddedJob, now: Millis): Promise<Id<'job'>>
  /** As `add`, for several jobs, by one statement. @returns their ids in the given order */
  addAll(tx: Tx, jobs: AddedJob[], now: Millis): Promise<Id<'job'>[]>
  /**
   * Settles attempts as done in the caller's transaction, so that this needs no commit of its own. Only for kinds without `onSettled`, and
   * as the last statement, because other transactions lock jobs first.
   */
  settleDone(tx: Tx, attempts: RowAttempt[], now: Millis): Promise<void>
  /** As `cancelJob`; an attempt under way is aborted after the commit. */
  cancel: typeof cancelJob
  /** Resolves when a job has ended, when `patience` is over or when this process stops; the caller reads the job to know which. */
  ended(id: Id<'job'>, patience: Millis): Promise<void>
  /** Handlers of notices from other processes. */
  handlers: Handlers
  /** The jobs of each kind that have not ended, in memory and in the table. */
  backlog(now: Millis): Promise<Map<string, JobBacklog>>
  /** What the attempts of this process are used for, by kind. */
  loads(): Map<string, Load>
  start(): Promise<void>
  stop(): Promise<void>
}

/** A wait for the end of a job reads its row again after this time, because a notification may be lost. */
const POLL: Millis = SECOND

/** Makes the jobs in rows and, as kinds are registered, their workers; nothing runs before `start`. */
export function createJobs(
  shared: Pick<Shared, 'config' | 'clock' | 'log' | 'database'>,
  lease: Lease,
): Jobs {
  const { config, clock, log, database } = shared
  const { background, notifier } = database
  const ends = createWaits<Id<'job'>>(clock, POLL)
  const workers = new Map<string, JobWorker<RowJob>>()
  const kinds = new Map<string, RowKind>()
  /** The places of each kind, also of kinds that only other processes do. */
  const registered = new Map<string, number>()
  const suspects = createSuspects(clock)

  function reportEnd(id: Id<'job'>): void {
    ends.wake(id)
    notifier.notify('endedJobs', id)
  }

  function wakeWorkers(kind: string, laneId: string): void {
    workers.get(kind)?.wake(laneId)
    notifier.notify('jobs', `${kind} ${laneId}`)
  }

  function withClaimer(job: AddedJob, now: Millis): NewJob {
    const { kind, laneId, organizationId, dueAt } = job
    const cap = job.cap ?? registered.get(kind) ?? 1
    const lane = { laneId, organizationId, cap, perSecond: null }
    return { ...job, cap, claimer: dueAt <= now ? workers.get(kind)?.claimFor(lane) : undefined }
  }

  const addAll: Jobs['addAll'] = async (tx, jobs, now) => {
    const claimed = jobs.map((job) => withClaimer(job, now))
    const added = await addJobs(tx, claimed, now)
    afterCommit(tx, () => {
      for (const [index, job] of added.entries()) {
        const { kind, laneId, claimer } = claimed[index] as NewJob
        if (claimer === undefined) wakeWorkers(kind, laneId)
        else workers.get(kind)?.accept([{ job, claimer }], [])
      }
    })
    return added.map(({ id }) => id)
  }

  return {
    register(handler, { places, onSettled, onFailed }) {
      registered.set(handler.kind, places)
      if (config.role === 'api') return
      const store = createRowStore({
        database: background,
        kind: handler.kind,
        ...{ onSettled, onFailed },
        onCommitted({ job, status }) {
          if (status !== 'pending') reportEnd(job.id)
        },
      })
      const kind = rowKind({ handler, store, clock, log, suspects })
      const worker = createWorker(kind, {
        ...{ clock, log, lease, shared: database.shared },
        shares: createJobShares(handler.longest, {
          ...{ inFlight: places, tests: 0 },
          // As many again wait here. The others wait in the table, where another process with free places may claim them.
          ...(database.shared && { queued: places }),
        }),
        notifyWorkers: () => notifier.notify('jobs'),
      })
      kinds.set(handler.kind, kind)
      workers.set(handler.kind, worker)
    },

    async add(tx, job, now) {
      const [id] = await addAll(tx, [job], now)
      return id as Id<'job'>
    },

    addAll,

    settleDone: (tx, attempts, now) => settleDone(tx, attempts, now, reportEnd),

    async cancel(tx, organizationId, id, now) {
      const status = await cancelJob(tx, organizationId, id, now)
      afterCommit(tx, () => {
        if (status === 'cancelled') return reportEnd(id)
        if (status !== 'pending') return
        for (const kind of kinds.values()) kind.cancel(id)
        notifier.notify('cancelledJobs', id)
      })
      return status
    },

    async ended(id, patience) {
      const read = () =>
        database.db.selectFrom('job').select('status').where('id', '=', id).executeTakeFirst()
      // After the last read the wait is over, also where that read fails.
      await ends.until(id, patience, read, (row) => row?.status !== 'pending').catch(() => {})
    },

    // Any client of the database may send notices, so names are parsed and unknown ones ignored.
    handlers: {
      jobs(names) {
        if (names === undefined) for (const worker of workers.values()) worker.poll()
        for (const name of names ?? []) {
          const [kind = '', laneId = ''] = name.split(' ')
          workers.get(kind)?.wake(laneId)
        }
      },
      cancelledJobs(names) {
        if (names === undefined) for (const worker of workers.values()) worker.poll()
        for (const id of idsOf('job', names)) for (const kind of kinds.values()) kind.cancel(id)
      },
      endedJobs(names) {
        for (const id of idsOf('job', names)) ends.wake(id)
      },
    },

    async backlog(now) {
      const backlogs = await readJobs(background, [...registered.keys()], now)
      for (const [kind, backlog] of backlogs) {
        const lag = workers.get(kind)?.lag(now) ?? 0
        if (lag > 0) backlog.oldestDueAt = Math.min(backlog.oldestDueAt ?? now, now - lag)
      }
      return backlogs
    },

    loads: () => new Map([...workers].map(([kind, worker]) => [kind, worker.load()])),

    async start() {
      for (const worker of workers.values()) await worker.start()
    },

    async stop() {
      ends.stop()
      suspects.stop()
      for (const kind of kinds.values()) kind.endAll()
      await Promise.all([...workers.values()].map((worker) => worker.stop()))
      if (workers.size > 0) notifier.notify('jobs')
    },
  }
}
