import { HOUR, MINUTE, type Millis, SECOND } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import type { Jobs, KindOptions } from '../../jobs/create-jobs.ts'
import type { Handler } from '../../jobs/rows/row-kind.ts'
import { MOST_STARTS } from '../transcript/next-move.ts'
import { DRAIN } from './attempt.ts'
import { type EndDeps, endRun } from './end-run.ts'
import { RUN_JOB } from './run-job.ts'
import type { StepDeps } from './step-deps.ts'
import { createStepRun } from './step-run.ts'

/** Runs that a process steps at once, for all organizations together. */
const MOST_RUNS = 64

const LONGEST_TURN: Millis = HOUR + 5 * MINUTE

/**
 * Registers runs as jobs. After a crash another process may take over a run soon, however long runs take: each write
 * asserts the claim, and steps that may not be repeated are written before they are made.
 */
export function registerRuns(jobs: Jobs, deps: StepDeps): void {
  const stepRun = createStepRun(deps)
  const handler: Handler = {
    kind: RUN_JOB,
    longest: LONGEST_TURN,
    waits: [0, SECOND, 5 * SECOND, 30 * SECOND],
    isRepeatable: true,
    mostStarts: MOST_STARTS,
    // The run itself bounds the time of its tool calls.
    grace: DRAIN + 2 * SECOND,
    async work({ payload }, doing) {
      const turn = await stepRun(runOf(payload), doing)
      if (turn === 'over') return { done: null }
      return turn === 'given_back' ? { retry: 'stopping' } : { later: turn.notBefore }
    },
  }
  const options: KindOptions = {
    places: MOST_RUNS,
    /** Fails a run whose job failed after too many process deaths; otherwise it would wait for its deadline. */
    async onFailed(tx, { job, reason }, now) {
      await failRun(tx, deps, runOf(job.payload), reason ?? 'crashed_repeatedly', now)
    },
  }
  jobs.register(handler, options)
}

const runOf = (payload: unknown) => (payload as { runId: Id<'run'> }).runId

async function failRun(tx: Tx, deps: EndDeps, id: Id<'run'>, reason: string, now: Millis): Promise<void> {
  const run = await tx
    .selectFrom('run')
    .select(['id', 'conversation_id'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (run !== undefined)
    await endRun(tx, deps, run, { status: 'failed', code: 'PROCESSING_FAILED', reason }, now)
}
