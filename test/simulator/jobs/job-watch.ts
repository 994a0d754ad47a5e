import { type Millis, SECOND } from '#src/core/clock.ts'
import type { Id } from '#src/core/id.ts'
import type { RowJob } from '#src/jobs/rows/row.ts'
import type { World } from '../world.ts'
import type { JobDisk, JobRow } from './row-model.ts'

/** An attempt as the world sees it: from when the work begins until the process lets go of it. */
export interface Attempted {
  job: RowJob
  claimer: string
  signal: AbortSignal
  /** Whether its process lives. */
  isAlive: () => boolean
  /** Its result, if it succeeds. */
  token: string
}

interface JobWatchDeps {
  world: World
  disk: JobDisk
  isRepeatable: boolean
  /** How long after its horizon a job has ended, in calm weather. */
  lateness: Millis
  /** The time within which an attempt is aborted after a cancellation in calm weather. */
  hearing: Millis
  broken: (message: string) => Error
}

/** Deaths of processes after which a job is not done once more. */
const MOST_STARTS = 3

/** Checks the promises of jobs in rows. */
export interface JobWatch {
  /** The store has said that an attempt may begin, at the moment of its commit. */
  permits(job: RowJob, claimer: string): void
  begins(attempt: Attempted): void
  /** The work has ended well, with its token. */
  brings(attempt: Attempted): void
  /** The process of the attempt has no more to do with it. */
  leaves(attempt: Attempted): void
  /** From here on the weather is calm. */
  calms(): void
  /** A process has died; its jobs wait until its lease expires. */
  crashes(): void
  /** After each thing that was written. */
  inspect(): void
  /** Checks that all jobs have ended that should have. */
  overdue(): void
}

export function createJobWatch(deps: JobWatchDeps): JobWatch {
  const { world, disk, isRepeatable, lateness, hearing, broken } = deps
  /** Attempts that began, by job and number. */
  const starts = new Map<string, number>()
  /** The names under which they were allowed to: between that and the beginning a process may crash, too. */
  const permitted = new Map<string, Set<string>>()
  const brought = new Set<string>()
  const running = new Set<Attempted>()
  /** How each that has ended stood when it was seen first. */
  const ended = new Map<Id<'job'>, string>()
  /** Cancelled jobs, and when the cancellation was known here. */
  const cancelled = new Map<Id<'job'>, Millis>()
  let calmSince = Number.POSITIVE_INFINITY

  const nameOf = ({ id, attempts }: Pick<RowJob, 'id' | 'attempts'>) => `${id}/${attempts}`

  function endsTruly(row: JobRow): void {
    const { id, status, reason, result, attempts } = row
    const token = (result as { token?: string } | null)?.token
    if (status === 'done' && !brought.has(token ?? '')) throw broken(`${id} is done with what nobody brought`)
    if (status === 'done' && !token?.startsWith(`${id}/`))
      throw broken(`${id} is done with what another job brought`)
    if (status === 'failed' && reason === null) throw broken(`${id} failed without a reason`)
    const before = permitted.get(nameOf({ id, attempts: attempts - 1 }))?.size ?? 0
    if (status === 'failed' && reason !== 'horizon_passed' && before === 0)
      throw broken(`${id} failed with ${reason}, and was not begun`)
    if (status === 'cancelled' && row.cancelAt === null)
      throw broken(`${id} is cancelled, and nobody asked for it`)
    if (reason === 'crashed_repeatedly' && before < MOST_STARTS)
      throw broken(`${id} crashed_repeatedly after ${before} of it`)
    if (reason === 'outcome_unknown' && isRepeatable)
      throw broken(`${id} may be repeated, and has failed with outcome_unknown`)
  }

  return {
    permits(job, claimer) {
      const { id } = job
      permitted.set(nameOf(job), (permitted.get(nameOf(job)) ?? new Set()).add(claimer))
      const row = disk.rows.get(id)
      if (row?.status !== 'pending') throw broken(`${id} is ${row?.status}, and begins`)
      if (row.cancelAt !== null) throw broken(`${id} is cancelled, and begins`)
    },
    begins(attempt) {
      const { job } = attempt
      const name = nameOf(job)
      const count = (starts.get(name) ?? 0) + 1
      starts.set(name, count)
      running.add(attempt)
      if (!isRepeatable && count > 1) throw broken(`${job.id} may not be repeated, and begins once more`)
      if (count > MOST_STARTS) throw broken(`${job.id} begins for the ${count}th time without a result`)
      const inLane = running
        .values()
        .filter(
          (other) =>
            other.job.laneId === job.laneId && other.claimer === attempt.claimer && !other.signal.aborted,
        )
      if ([...inLane].length > job.cap) throw broken(`${job.id} begins beyond what its lane takes`)
    },
    brings({ token }) {
      brought.add(token)
    },
    leaves: (attempt) => void running.delete(attempt),
    calms() {
      calmSince = world.elapsed()
    },
    crashes() {
      if (Number.isFinite(calmSince)) calmSince = world.elapsed()
    },
    inspect() {
      for (const row of disk.rows.values()) {
        const { id, status, cancelAt } = row
        if (cancelAt !== null && !cancelled.has(id)) cancelled.set(id, world.elapsed())
        if (status === 'pending') {
          if (ended.has(id)) throw broken(`${id} had ended, and is pending`)
          continue
        }
        const now = JSON.stringify([status, row.reason, row.result, row.attempts, row.updatedAt])
        const before = ended.get(id)
        if (before === undefined) {
          endsTruly(row)
          ended.set(id, now)
        } else if (before !== now) throw broken(`${id} had ended as ${before}, and is ${now}`)
      }
    },
    overdue() {
      const passed = world.elapsed() - calmSince
      for (const { id, status, horizon } of disk.rows.values()) {
        const late = Math.min(world.now() - horizon, passed)
        if (status === 'pending' && late > lateness)
          throw broken(`${id} is pending ${late / SECOND} s after its horizon`)
      }
      for (const attempt of running) {
        const { job, claimer, signal, isAlive } = attempt
        if (!isAlive()) running.delete(attempt)
        const row = disk.rows.get(job.id)
        const since = Math.max(cancelled.get(job.id) ?? Number.POSITIVE_INFINITY, calmSince)
        if (isAlive() && row?.claim === claimer && !signal.aborted && world.elapsed() - since > hearing)
          throw broken(`${job.id} is cancelled, and its attempt does not hear of it`)
      }
    },
  }
}
