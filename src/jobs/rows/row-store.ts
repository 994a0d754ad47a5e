import { createBatcher, GROUP_COMMIT_WAIT } from '../../core/batcher.ts'
import type { Millis } from '../../core/clock.ts'
import { afterCommit, type Database, type Db, type Tx } from '../../db/database.ts'
import { NO_ORGANIZATION } from '../job.ts'
import type { Due, JobStore, Want } from '../job-store.ts'
import { isUnclaimed } from '../queue/queue-rows.ts'
import { createQueueStore } from '../queue/queue-store.ts'
import { byDue, type RowJob, type RowSettlement, toJob } from './row.ts'
import { advanceRows, beginRows, settleRows } from './row-settle.ts'

/** The store of jobs in rows. */
export interface RowStore extends JobStore<RowJob, RowSettlement> {
  /** Notes that an attempt begins. @returns false when the claim is gone or the job was cancelled */
  begin(workerId: string, job: RowJob): Promise<boolean>
  /** Sets how many attempts count as begun, if the claim still holds. */
  advance(workerId: string, job: RowJob, begun: number): Promise<unknown>
  /** Attempts that must end: their job was cancelled, or their claim is gone. */
  revoked<A extends Claimed>(attempts: A[]): Promise<A[]>
}

/** The claim of an attempt: of the worker `claimer`, after so many attempts. */
export interface Claimed extends Pick<RowJob, 'id' | 'attempts'> {
  claimer: string
}

/** Writes what follows from a settled job, in the settling transaction; a throw rolls back all settlements in it. */
export type OnSettled = (tx: Tx, settlement: RowSettlement, now: Millis) => Promise<unknown>

/** Most attempts that one statement notes as begun. */
const MOST_BEGINNINGS = 50

interface StoreDeps {
  database: Database
  /** The kind of the jobs. */
  kind: string
  /** Called for each settled job in the settling transaction. */
  onSettled?: OnSettled | undefined
  /** Called for each failed job in the settling transaction. */
  onFailed?: OnSettled | undefined
  /** Called after the commit for each settled job. */
  onCommitted?: ((settlement: RowSettlement) => void) | undefined
  /** Lanes of one page of `nextDue`. */
  page?: number
}

export function createRowStore(deps: StoreDeps): RowStore {
  const { database, kind, onSettled, onFailed, onCommitted, page = 500 } = deps
  const { db } = database
  const queue = createQueueStore<RowJob>(database, { table: 'job', lane: 'lane_id', kind })

  /** Selects and locks the jobs to claim of one lane. */
  function choose(tx: Tx, { laneId, limit }: Want<RowJob>, now: Millis) {
    return pendingRows(tx, kind)
      .select('id')
      .where('lane_id', '=', laneId)
      .where('due_at', '<=', now)
      .orderBy('due_at')
      .orderBy('id')
      .limit(limit)
      .$call(database.skipLocked)
  }

  async function claim(
    tx: Tx,
    workerId: string,
    choice: ReturnType<typeof choose>,
    now: Millis,
  ): Promise<RowJob[]> {
    const rows = await tx
      .updateTable('job')
      .set({ claim_id: workerId })
      .where('id', 'in', choice)
      .where('claim_id', 'is', null)
      // A worker whose lease has expired claims nothing.
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('worker')
            .select('worker.id')
            .where('worker.id', '=', workerId)
            .where('worker.alive_until', '>', database.shared ? now : 0),
        ),
      )
      .returningAll()
      .execute()
    return rows.map(toJob)
  }

  const due = () =>
    pendingRows(db, kind)
      .select('lane_id as laneId')
      .select(({ fn, val }) => [
        fn.coalesce('organization_id', val(NO_ORGANIZATION)).as('organizationId'),
        fn.min<Millis>('due_at').as('dueAt'),
      ])
      .groupBy(['lane_id', 'organization_id'])

  const isPlain = ({ status }: RowSettlement) => onSettled === undefined && status !== 'failed'

  /** The work of a transaction that settles; it returns the settlements whose claim still held. */
  function settling(workerId: string, settlements: RowSettlement[], now: Millis, skipsLocked = false) {
    return async (tx: Tx): Promise<RowSettlement[]> => {
      const statuses = await settleRows(tx, workerId, settlements, now, skipsLocked)
      const settled = settlements.filter(({ job }) => statuses.has(job.id))
      for (const one of settled) {
        const status = statuses.get(one.job.id) ?? one.status
        const written = { ...one, status }
        if (onSettled !== undefined) await onSettled(tx, written, now)
        if (status === 'failed') await onFailed?.(tx, written, now)
        afterCommit(tx, () => onCommitted?.(written))
      }
      return settled
    }
  }

  /** Attempts that begin during a commit share the next one. */
  const beginnings = createBatcher<{ workerId: string; job: RowJob }, boolean>(
    async (take) => {
      const beginning = take()
      const rows = beginning
        .map(({ workerId, job }) => begunRow(workerId, job, job.begun + 1))
        // In the order in which a cancellation of several jobs locks them.
        .sort((a, b) => (a.id < b.id ? -1 : 1))
      const begun = new Set((await database.brief((tx) => beginRows(tx, rows))).map(({ id }) => id))
      return beginning.map(({ job }) => begun.has(job.id))
    },
    { most: MOST_BEGINNINGS, groupWait: database.shared ? GROUP_COMMIT_WAIT : undefined },
  )

  return {
    ...queue,

    async nextDue(after) {
      const lanes = await queue.polling(() =>
        due()
          .$if(after !== undefined, (query) => query.where('lane_id', '>', after as string))
          .orderBy('lane_id')
          .limit(page)
          .execute(),
      )
      return { due: lanes as Due<RowJob>[], after: lanes.length < page ? undefined : lanes.at(-1)?.laneId }
    },

    async dueOf(lanes) {
      if (lanes.length === 0) return []
      return (await due().where('lane_id', 'in', lanes).execute()) as Due<RowJob>[]
    },

    // Waits for the disk: if a crash of the store lost a claim under which an attempt has begun, the job would be done twice.
    async claim(workerId, wants, now) {
      const claimAll = async (tx: Tx) => {
        const jobs: RowJob[] = []
        for (const want of wants) jobs.push(...(await claim(tx, workerId, choose(tx, want, now), now)))
        return jobs.sort(byDue)
      }
      return wants.length === 1 ? database.brief(claimAll) : database.tx(claimAll)
    },

    async release(workerId, jobs) {
      if (jobs.length === 0) return
      const byBegun = Map.groupBy(jobs, (job) => (job as Partial<RowJob>).begun)
      await database.tx(async (tx) => {
        for (const [begun, some] of byBegun)
          await tx
            .updateTable('job')
            // A job in memory has not begun, so `begun` is reset. A job that is known only by its id keeps
            // its `begun`.
            .set(begun === undefined ? { claim_id: null } : { claim_id: null, begun })
            .where(
              'id',
              'in',
              some.map(({ id }) => id),
            )
            .where('claim_id', '=', workerId)
            .execute()
      })
    },

    begin: (workerId, job) => beginnings.add({ workerId, job }),

    advance: (workerId, job, begun) =>
      database.brief((tx) => advanceRows(tx, [begunRow(workerId, job, begun)])),

    async revoked(attempts) {
      if (attempts.length === 0) return []
      const ids = attempts.map(({ id }) => id)
      const rows = await db
        .selectFrom('job')
        .select(['id', 'claim_id', 'attempts'])
        .where('id', 'in', ids)
        .where('cancel_at', 'is', null)
        .execute()
      const held = new Map(rows.map((row) => [row.id, row]))
      return attempts.filter(({ id, claimer, attempts }) => {
        const row = held.get(id)
        return row?.claim_id !== claimer || row.attempts !== attempts
      })
    },

    async settle(workerId, settlements, now) {
      // In one order, so that processes that settle for the same organizations do not deadlock.
      const inOrder = settlements.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
      // Not by the reserved connections of heartbeats: the statements may wait for a row lock.
      const { patient } = database
      for (const together of transactionsOf(inOrder)) {
        const settle = settling(workerId, together, now)
        await (together.every(isPlain) ? patient.brief(settle) : patient.tx(settle))
      }
    },

    unlocked: {
      takes: isPlain,
      settle: (workerId, settlements, now) =>
        database.patient.brief(settling(workerId, settlements, now, true)),
    },
  }
}

/**
 * Divides settlements among transactions. The settlement of a failed job locks other rows, such as its run and then the credits of the
 * organization. Two in one transaction would hold the credits while they wait for the second run, whose holder may wait for the credits.
 */
function transactionsOf(settlements: RowSettlement[]): RowSettlement[][] {
  const failed = settlements.filter(({ status }) => status === 'failed')
  const others = settlements.filter(({ status }) => status !== 'failed')
  return [...(others.length > 0 ? [others] : []), ...failed.map((one) => [one])]
}

function begunRow(workerId: string, { id, attempts }: RowJob, begun: number) {
  return { id, claim_id: workerId, attempts_before: attempts, begun_now: begun }
}

function placeOf({ job }: RowSettlement): string {
  return `${job.organizationId} ${job.id}`
}

/** Pending, unclaimed jobs of a kind. */
function pendingRows(from: Db | Tx, kind: string) {
  return from
    .selectFrom('job')
    .where('kind', '=', kind)
    .where(isUnclaimed({ table: 'job' }))
}
