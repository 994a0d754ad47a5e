import { nextAttemptAt } from '../../core/backoff.ts'
import type { Clock, Millis } from '../../core/clock.ts'
import { runForOwner } from '../../core/context.ts'
import type { Id } from '../../core/id.ts'
import type { Attempt, JobKind, Log, Result } from '../worker/worker.ts'
import type { RowAttempt, RowJob, RowSettlement } from './row.ts'
import type { Claimed, RowStore } from './row-store.ts'
import { SUSPECT_FROM, type Suspects } from './suspects.ts'

/** The result of an attempt. */
export type Outcome =
  | { done: unknown }
  /** Failed; another attempt may succeed. `result`: the partial result of the attempt. */
  | { retry: string; notBefore?: Millis; result?: unknown }
  /** Nothing failed; the job goes on at that moment. */
  | { later: Millis }
  /** Failed; no further attempt would succeed. */
  | { failed: string; result?: unknown }

/** The further arguments of `work`. */
export interface Doing {
  /** Aborts when the job was cancelled or another process has claimed it, at the deadline, and when the process stops. */
  signal: AbortSignal
  /** The attempt, which a transaction of the work may settle (`Jobs.settleDone`). */
  attempt: RowAttempt
  /**
   * Notes that a part of the job is done for good, so that earlier deaths of processes do not count against it.
   * @param kept deaths that still count, because the work that they cut off cannot be done
   */
  advanced(kept?: number): void
}

/** A kind of job in rows: its work and its rules after a failure. */
export interface Handler {
  kind: string
  /** The deadline of an attempt, at which it is aborted. */
  longest: Millis
  /** The waits after each failure; the last one repeats until the horizon. */
  waits: readonly Millis[]
  /**
   * Whether it may be repeated when the outcome of an attempt is unknown: its process died or stopped, its deadline passed, or it
   * threw. Otherwise the job then fails with `outcome_unknown`. A `retry` that the work returns is followed in both cases.
   */
  isRepeatable: boolean
  /** After this many processes have died in it without `advanced`, the job counts as the cause and fails; 3 unless given. */
  mostStarts?: number
  /**
   * How long an attempt may go on when its process stops, and after the abort of a cancelled job; 0 unless given. A job that a stop
   * cuts off is due at once.
   */
  grace?: Millis
  /**
   * Whether a pending job still gets an attempt after its horizon. Default: never. A failure of that attempt is final.
   */
  isWorthLate?(job: RowJob, now: Millis): boolean
  work(job: RowJob, doing: Doing): Promise<Outcome>
}

interface RowKindDeps {
  handler: Handler
  store: RowStore
  clock: Clock
  log: Log
  /** The suspects of all kinds of this process. */
  suspects: Suspects
}

const MOST_STARTS = 3

/** Why an attempt was aborted; `revoked`: its job was cancelled, or another process has claimed it. */
type Cause = 'revoked' | 'deadline' | 'stopping'

/** An attempt under way. */
interface UnderWay extends Claimed {
  end(cause: Cause): void
}

/** A kind whose attempts can be aborted. */
export interface RowKind extends JobKind<RowJob, RowSettlement> {
  /** Aborts this process's attempt of a cancelled job, if there is one. */
  cancel(id: Id<'job'>): void
  /** Aborts all attempts, after the grace of the kind. */
  endAll(): void
}

type Settled = Omit<RowSettlement, 'job'>

function ended(status: Settled['status'], reason: string | null, result: unknown = null): Settled {
  return { status, reason, result, dueAt: null }
}

/** Makes the engine's kind of job from a handler. */
export function rowKind({ handler, store, clock, log, suspects }: RowKindDeps): RowKind {
  const { kind, longest, waits, isRepeatable, mostStarts = MOST_STARTS, grace = 0 } = handler
  const isTooLate = (job: RowJob, now: Millis) => now > job.horizon && !handler.isWorthLate?.(job, now)
  const underWay = new Map<Id<'job'>, UnderWay>()

  /** The outcome of an attempt that was cut off or threw, and may have done its work. */
  function unknown(why: string): Outcome {
    return isRepeatable ? { retry: why } : { failed: 'outcome_unknown' }
  }

  function after(job: RowJob, outcome: Outcome): Settled {
    if ('done' in outcome) return ended('done', null, outcome.done)
    if ('failed' in outcome) return ended('failed', outcome.failed, outcome.result)
    if ('later' in outcome) return { status: 'pending', reason: null, result: null, dueAt: outcome.later }
    const isCut = outcome.retry === ('stopping' satisfies Cause)
    const { retry: reason, result = null, notBefore } = outcome
    const dueAt = nextAttemptAt({
      ...{ waits: isCut ? [] : waits, attempts: job.attempts + 1, now: clock.now() },
      ...{ horizon: job.horizon, notBefore },
    })
    // The next attempt would start after the horizon.
    if (dueAt === undefined) return ended('failed', 'horizon_passed', result)
    return { status: 'pending', reason, result, dueAt }
  }

  const result = (job: RowJob, settled: Settled): Result<RowSettlement> => ({
    settlement: { job, ...settled },
    learnt: { isReachable: undefined, cap: job.cap },
  })

  /** The attempt of a job that fails without running. */
  const failing = (job: RowJob, reason: string) => async () => result(job, ended('failed', reason))

  /** @returns `advanced` for the work of an attempt, and a promise of its writes */
  function advancing(job: RowJob, claimer: string, leave: () => void) {
    let counted = job.begun
    let written: Promise<unknown> = Promise.resolve()
    return {
      advanced(kept = 0) {
        if (kept < SUSPECT_FROM) leave()
        if (kept >= counted) return
        counted = kept
        written = store.advance(claimer, job, kept + 1).catch((error: unknown) => {
          // The row still counts the earlier deaths, so the next call of `advanced` writes again.
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
    const cut = Promise.withResolvers<Outcome>()
    const timers = [clock.after(longest, () => attempt.end('deadline'))]
    const attempt: UnderWay = {
      ...{ id: job.id, attempts: job.attempts, claimer },
      end(cause) {
        const isFirst = !signal.aborted
        ending.abort(cause)
        const cutOff = () => cut.resolve(unknown(cause))
        if (cause !== 'revoked' || grace === 0) cutOff()
        else if (isFirst) timers.push(clock.after(grace, cutOff))
      },
    }
    underWay.set(job.id, attempt)
    const { advanced, written } = advancing(job, claimer, leave)
    const own: RowAttempt = { job, claimer, isSettled: false }
    const working = Promise.try(() =>
      // The work may begin during the request that woke this worker, but does not belong to that request.
      runForOwner(job.organizationId, () => handler.work(job, { signal, attempt: own, advanced }), {
        cause: undefined,
      }),
    ).catch((error: unknown): Outcome => {
      log.error({ err: error, jobId: job.id }, kind)
      return unknown('threw')
    })
    try {
      const outcome = await Promise.race([working, cut.promise])
      await written()
      if (own.isSettled) return { ...result(job, ended('done', null)), isSettled: true }
      if (signal.reason === ('revoked' satisfies Cause)) return result(job, ended('cancelled', null))
      return result(job, after(job, outcome))
    } finally {
      for (const cancel of timers) cancel()
      leave()
      // This process may have claimed the job again after its claim was lost.
      if (underWay.get(job.id) === attempt) underWay.delete(job.id)
    }
  }

  return {
    name: kind,
    laneName: 'lane',
    store,
    longest,
    behalfOf: ({ job }) => job.organizationId,
    async prepare(job, claimer): Promise<Attempt<RowSettlement> | undefined> {
      if (job.begun > 0 && !isRepeatable) return failing(job, 'outcome_unknown')
      if (job.begun >= mostStarts) return failing(job, 'crashed_repeatedly')
      const leave = job.begun < SUSPECT_FROM ? () => {} : await suspects.enter(job.organizationId)
      if (leave === undefined) return undefined
      let hasBegun = false
      try {
        if (isTooLate(job, clock.now())) return failing(job, 'horizon_passed')
        // The row notes the attempt before it begins, because a job may be one that must not be repeated.
        hasBegun = await store.begin(claimer, job)
        return hasBegun ? () => work(job, claimer, leave) : async () => result(job, ended('cancelled', null))
      } finally {
        if (!hasBegun) leave()
      }
    },
    /** Aborts attempts whose job was cancelled or claimed elsewhere since the last poll. */
    async afterPoll() {
      for (const attempt of await store.revoked([...underWay.values()])) attempt.end('revoked')
      return []
    },
    cancel: (id) => underWay.get(id)?.end('revoked'),
    endAll() {
      const cut = () => {
        for (const attempt of underWay.values()) attempt.end('stopping')
      }
      if (grace === 0) cut()
      else clock.after(grace, cut)
    },
  }
}
