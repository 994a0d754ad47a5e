import type { Clock, Millis } from '../../core/clock.ts'
import { onBehalfOf } from '../../core/context.ts'
import type { Id } from '../../core/id.ts'
import type { Attempt, JobKind, Log, Result } from '../worker/worker.ts'
import type { RowJob, RowSettlement } from './row.ts'
import type { RowStore } from './row-store.ts'
import { createSuspects, SUSPECT_FROM, type Suspects } from './suspects.ts'

/** What came of doing a job. */
export type Outcome =
  | { done: unknown }
  /** Another try may go better. */
  | { retry: string; notBefore?: Millis }
  /** Nothing failed: the rest of it is due then. */
  | { later: Millis }
  /** None would. */
  | { failed: string }

/** What doing a job is given beside the job. */
export interface Doing {
  /** Aborts when somebody has cancelled the job, or another process may have taken it over. */
  signal: AbortSignal
  /** Notes how far it has come. */
  progress(value: unknown): Promise<void>
  /**
   * A part of it is finished for good: deaths of processes before that count no more against it.
   * @param kept deaths that still count, because the work that they cut off cannot be finished
   */
  advanced(kept?: number): void
}

/** A kind of job that stands in rows: what to do, and what a failure means. */
export interface Handler {
  kind: string
  /** How long an attempt takes at most; longer ones are ended. */
  longest: Millis
  /** The waits after each failure; the last one repeats until the horizon. */
  waits: readonly Millis[]
  /**
   * Whether it may be done once more when nobody knows what came of an attempt, because its process died or was to end, its
   * time was over or it threw; otherwise it has failed then, with `outcome_unknown`. A `retry` that it answers is heeded in
   * either case. With how many processes that died it is not done again stands in `mostStarts`.
   */
  isRepeatable: boolean
  /** Processes that may die while they do it, without a part of it finished between, before it is taken for the cause; 3 unless said. */
  mostStarts?: number
  /** How long an attempt may still take when its process is to end; no time unless said. What is cut off is due at once. */
  grace?: Millis
  work(job: RowJob, doing: Doing): Promise<Outcome>
}

interface RowKindDeps {
  handler: Handler
  store: RowStore
  clock: Clock
  log: Log
  /** Of all kinds that this process does; of this kind alone unless given. */
  suspects?: Suspects
}

const MOST_STARTS = 3

/** Why an attempt was ended early. */
type Cause = 'cancelled' | 'deadline' | 'stopping'

/** A kind whose attempts can be ended early. */
export interface RowKind extends JobKind<RowJob, RowSettlement> {
  /** Ends the attempt at a job, if this process makes one: somebody has cancelled it. */
  cancel(id: Id<'job'>): void
  /** Ends all attempts, those that have some grace after it. */
  endAll(): void
}

type Settled = Pick<RowSettlement, 'status' | 'reason' | 'result' | 'dueAt'>

/** How the engine does the jobs of a kind that stands in rows. */
export function rowKind({
  handler,
  store,
  clock,
  log,
  suspects = createSuspects(clock),
}: RowKindDeps): RowKind {
  const { kind, longest, waits, isRepeatable, mostStarts = MOST_STARTS, grace = 0 } = handler
  /** What is being done, and under which claim. */
  const underWay = new Map<Id<'job'>, { claimer: string; ending: AbortController }>()

  function ended(job: RowJob, status: Exclude<RowSettlement['status'], 'pending'>, reason: string | null) {
    return { job, status, reason, result: null, dueAt: null }
  }

  /** An attempt was cut off, or threw: it may have done what it was to do. */
  function unknown(why: string): Outcome {
    return isRepeatable ? { retry: why } : { failed: 'outcome_unknown' }
  }

  function end(controller: AbortController, cause: Cause): void {
    controller.abort(cause)
  }

  function after(job: RowJob, outcome: Outcome): Settled {
    if ('done' in outcome) return { ...ended(job, 'done', null), result: outcome.done }
    if ('failed' in outcome) return ended(job, 'failed', outcome.failed)
    if ('later' in outcome) return { ...ended(job, 'failed', null), status: 'pending', dueAt: outcome.later }
    const isCut = outcome.retry === ('stopping' satisfies Cause)
    const wait = isCut ? 0 : (waits[Math.min(job.attempts, waits.length - 1)] ?? 0)
    const dueAt = Math.max(clock.now() + wait, Math.min(outcome.notBefore ?? 0, job.horizon))
    if (dueAt > job.horizon) return ended(job, 'failed', 'horizon_passed')
    return { status: 'pending', reason: outcome.retry, result: null, dueAt }
  }

  const result = (job: RowJob, settled: Settled, isHealthy?: boolean): Result<RowSettlement> => ({
    settlement: { job, ...settled },
    learnt: { isHealthy, cap: job.cap },
  })

  /** @returns notes that deaths before count no more, all but some, and lets the next suspect begin */
  function advancing(job: RowJob, claimer: string, leave: () => void) {
    let counted = job.begun
    let written: Promise<unknown> = Promise.resolve()
    return {
      advanced(kept = 0) {
        if (kept < SUSPECT_FROM) leave()
        if (kept >= counted) return
        counted = kept
        written = store.advance(claimer, job, kept + 1).catch((error: unknown) => {
          // It counts more deaths than it has seen: the next part that is finished says so once more.
          counted = job.begun
          log.error({ err: error, jobId: job.id }, kind)
        })
      },
      written: () => written,
    }
  }

  async function work(job: RowJob, claimer: string, leave: () => void): Promise<Result<RowSettlement>> {
    const ending = new AbortController()
    const { signal } = ending
    underWay.set(job.id, { claimer, ending })
    const cancel = clock.after(longest, () => end(ending, 'deadline'))
    const late = new Promise<Outcome>((resolve) =>
      signal.addEventListener('abort', () => resolve(unknown(String(signal.reason))), { once: true }),
    )
    const { advanced, written } = advancing(job, claimer, leave)
    const doing: Doing = {
      signal,
      advanced,
      async progress(value) {
        if (!(await store.progress(claimer, job, value, clock.now()))) end(ending, 'cancelled')
      },
    }
    const working = Promise.try(() => onBehalfOf(job.organizationId, () => handler.work(job, doing))).catch(
      (error: unknown): Outcome => {
        log.error({ err: error, jobId: job.id }, kind)
        return unknown('threw')
      },
    )
    try {
      const outcome = await Promise.race([working, late])
      await written()
      if (signal.aborted && signal.reason === ('cancelled' satisfies Cause))
        return result(job, ended(job, 'cancelled', null))
      return result(job, after(job, outcome), !('retry' in outcome))
    } finally {
      cancel()
      leave()
      underWay.delete(job.id)
    }
  }

  function cancelOne(id: Id<'job'>): void {
    const attempt = underWay.get(id)
    if (attempt !== undefined) end(attempt.ending, 'cancelled')
  }

  return {
    name: kind,
    laneName: 'lane',
    store,
    longest,
    behalfOf: ({ job }) => job.organizationId,
    async prepare(job, claimer): Promise<Attempt<RowSettlement> | undefined> {
      if (job.begun > 0 && !isRepeatable)
        return async () => result(job, ended(job, 'failed', 'outcome_unknown'))
      if (job.begun >= mostStarts) return async () => result(job, ended(job, 'failed', 'crashed_repeatedly'))
      const leave = job.begun < SUSPECT_FROM ? () => {} : await suspects.enter(job.begun, job.organizationId)
      if (leave === undefined) return undefined
      let hasBegun = false
      try {
        if (clock.now() > job.horizon) return async () => result(job, ended(job, 'failed', 'horizon_passed'))
        // What may not be repeated is written down before it begins.
        hasBegun = await store.begin(claimer, job)
        return hasBegun
          ? () => work(job, claimer, leave)
          : async () => result(job, ended(job, 'cancelled', null))
      } finally {
        if (!hasBegun) leave()
      }
    },
    /** There is nothing to make; with each poll those are ended that somebody has cancelled. */
    async makeMore() {
      const claimers = [...new Set([...underWay.values()].map(({ claimer }) => claimer))]
      for (const id of await store.cancelled(claimers)) cancelOne(id)
      return []
    },
    cancel: cancelOne,
    endAll() {
      const cut = () => {
        for (const { ending } of underWay.values()) end(ending, 'stopping')
      }
      if (grace === 0) cut()
      else clock.after(grace, cut)
    },
  }
}
