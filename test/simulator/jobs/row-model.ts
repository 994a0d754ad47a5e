import type { Millis } from '#src/core/clock.ts'
import type { Id } from '#src/core/id.ts'
import type { Due, Want } from '#src/jobs/job-store.ts'
import type { NewJob, RowJob, RowSettlement } from '#src/jobs/rows/row.ts'
import type { RowStore } from '#src/jobs/rows/row-store.ts'
import { createModelClaims, type LeaseDisk } from '../workers.ts'
import type { JobBug } from './job-bugs.ts'

/** A job's row on the model disk. */
export interface JobRow {
  id: Id<'job'>
  organizationId: Id<'organization'>
  laneId: string
  cap: number
  payload: unknown
  status: RowSettlement['status']
  reason: string | null
  /** The result of the last attempt, which the SQL store does not keep. */
  result: unknown
  attempts: number
  begun: number
  due: Millis | null
  horizon: Millis
  claim: string | null
  cancelAt: Millis | null
  createdAt: Millis
  updatedAt: Millis
}

/** The jobs of one kind. The rules are those of the SQL store; `test/row-conformance.test.ts` holds them to it. */
export interface JobDisk extends LeaseDisk {
  rows: Map<Id<'job'>, JobRow>
}

export function createJobDisk(): JobDisk {
  return { rows: new Map(), workers: new Map() }
}

interface ModelDeps {
  disk: JobDisk
  shared?: boolean
  /** Lanes that are looked at in one go. */
  pageSize?: number
  /** Called for each settled job. */
  onSettled?: (id: Id<'job'>, status: JobRow['status'], result: unknown) => void
  bug?: JobBug | undefined
}

/** The store of jobs in rows over the model of a disk: each operation is atomic and done when it returns. */
export function createModelRows(deps: ModelDeps): RowStore {
  const { disk, shared = true, pageSize = 3, onSettled = () => {}, bug } = deps
  const { ownership: _ownership, ...claims } = createModelClaims({ disk, bug })
  const isWaiting = ({ status, claim }: JobRow) => status === 'pending' && claim === null
  const isDue = (row: JobRow, now: Millis) => isWaiting(row) && (row.due ?? 0) <= now
  const isAlive = (workerId: string, now: Millis) =>
    (disk.workers.get(workerId)?.aliveUntil ?? 0) > (shared ? now : 0)

  /** The row, if the claim still holds and no later attempt has begun. */
  function claimed(workerId: string, { id, attempts }: Pick<RowJob, 'id' | 'attempts'>): JobRow | undefined {
    const row = disk.rows.get(id)
    return row?.claim === workerId && row.attempts === attempts ? row : undefined
  }

  function dueLanes(): Due<RowJob>[] {
    const lanes = new Map<string, Due<RowJob>>()
    for (const { laneId, organizationId, due, ...row } of disk.rows.values()) {
      if (row.status !== 'pending' || row.claim !== null) continue
      const dueAt = Math.min(due ?? 0, lanes.get(laneId)?.dueAt ?? Number.POSITIVE_INFINITY)
      lanes.set(laneId, { laneId, organizationId, dueAt })
    }
    return [...lanes.values()].sort((a, b) => (a.laneId < b.laneId ? -1 : 1))
  }

  function choose({ laneId, limit }: Want<RowJob>, now: Millis): JobRow[] {
    return [...disk.rows.values()]
      .filter((row) => row.laneId === laneId && isDue(row, now))
      .sort(byDue)
      .slice(0, limit)
  }

  function claim(workerId: string, rows: JobRow[], now: Millis): RowJob[] {
    if (!isAlive(workerId, now)) return []
    for (const row of rows) row.claim = workerId
    return rows.sort(byDue).map(jobOf)
  }

  function settle(workerId: string, settlement: RowSettlement, now: Millis): boolean {
    const { job, status, reason, result, dueAt } = settlement
    const row = bug === 'settled without its claim' ? disk.rows.get(job.id) : claimed(workerId, job)
    if (row === undefined) return false
    const goesOn = (status === 'pending' || status === 'cancelled') && row.cancelAt === null
    const isOver = status === 'done' || status === 'failed'
    const end = goesOn
      ? { status: 'pending', due: dueAt ?? now }
      : { status: isOver ? status : 'cancelled', due: null }
    const life = { attempts: job.attempts + 1, begun: 0, claim: null, updatedAt: now }
    Object.assign(row, { reason, result }, end, life)
    onSettled(row.id, row.status, result)
    return true
  }

  return {
    ...claims,
    // Its operations end by themselves.
    interrupt() {},
    async nextDue(after) {
      const page = dueLanes()
        .filter(({ laneId }) => after === undefined || laneId > after)
        .slice(0, pageSize)
      return { due: page, after: page.length < pageSize ? undefined : page.at(-1)?.laneId }
    },
    dueOf: async (lanes) => dueLanes().filter(({ laneId }) => lanes.includes(laneId)),
    async claim(workerId, wants, now) {
      return claim(
        workerId,
        wants.flatMap((want) => choose(want, now)),
        now,
      )
    },
    claimedBy: async (workerId) =>
      [...disk.rows.values()].filter(({ claim }) => claim === workerId).map(({ id }) => id),
    async release(workerId, jobs) {
      for (const job of jobs) {
        const row = disk.rows.get(job.id)
        if (row?.claim !== workerId) continue
        row.claim = null
        row.begun = (job as Partial<RowJob>).begun ?? row.begun
      }
    },
    async begin(workerId, job) {
      const row = claimed(workerId, job)
      if (row === undefined || row.cancelAt !== null) return false
      if (bug !== 'begun not written before it begins') row.begun = job.begun + 1
      return true
    },
    async advance(workerId, job, begun) {
      const row = claimed(workerId, job)
      if (row !== undefined) row.begun = begun
    },
    revoked: async (attempts) =>
      attempts.filter((attempt) => {
        const row = claimed(attempt.claimer, attempt)
        return row === undefined || row.cancelAt !== null
      }),
    async settle(workerId, settlements, now) {
      for (const settlement of settlements) settle(workerId, settlement, now)
    },
    unlocked: {
      takes: ({ status }) => status !== 'failed',
      settle: async (workerId, settlements, now) =>
        settlements.filter((settlement) => settle(workerId, settlement, now)),
    },
  }
}

/** A job that is written, as `addJob` writes it. */
export function writeRow(
  disk: JobDisk,
  { laneId, organizationId, cap, payload, dueAt, horizon, claimer }: Omit<NewJob, 'kind'>,
  id: Id<'job'>,
  now: Millis,
): RowJob {
  const row: JobRow = {
    ...{ id, organizationId, laneId, cap, payload, status: 'pending', reason: null, result: null },
    ...{ attempts: 0, begun: 0, due: dueAt, horizon, claim: claimer ?? null },
    ...{ cancelAt: null, createdAt: now, updatedAt: now },
  }
  disk.rows.set(id, row)
  return jobOf(row)
}

/** As `cancelJob`. */
export function cancelRow({ rows }: JobDisk, id: Id<'job'>, now: Millis): JobRow['status'] | undefined {
  const row = rows.get(id)
  if (row?.status !== 'pending') return row?.status
  if (row.claim === null)
    Object.assign(row, { status: 'cancelled', due: null, cancelAt: now, updatedAt: now })
  row.cancelAt ??= now
  return row.status
}

function byDue(a: Pick<JobRow, 'due' | 'id'>, b: Pick<JobRow, 'due' | 'id'>): number {
  return (a.due ?? 0) - (b.due ?? 0) || (a.id < b.id ? -1 : 1)
}

/** A row as the engine sees it. */
export function jobOf(row: JobRow): RowJob {
  const { id, laneId, organizationId, attempts, horizon, cap, payload, begun } = row
  const dueAt = row.due ?? row.createdAt
  const bytes = JSON.stringify(payload).length
  return {
    ...{ id, laneId, organizationId, attempts, dueAt, horizon, cap, perSecond: null, bytes, body: undefined },
    ...{ payload, begun },
  }
}
