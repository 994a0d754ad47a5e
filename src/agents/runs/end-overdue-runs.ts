import { type Millis, SECOND } from '../../core/clock.ts'
import { forEachPagedDespiteErrors } from '../../core/for-each-despite-errors.ts'
import { createLoop, type Loop } from '../../core/loop.ts'
import type { Tx } from '../../db/database.ts'
import { keysetAfter } from '../../db/keyset.ts'
import { lock } from '../../db/locking.ts'
import { decide } from '../steps/approval.ts'
import { type EndDeps, endOpenRun, OF_OPEN_RUN, type OpenRun } from '../steps/end-run.ts'
import type { StepDeps } from '../steps/step-deps.ts'
import { APPROVAL_LIFETIME } from '../transcript/next-move.ts'
import { OPEN, type Run } from '../transcript/rows.ts'

/** The process that steps a run ends it in time and knows its usage better; this loop waits longer. */
const GRACE: Millis = 2 * SECOND
/** Runs that one transaction ends. */
const SOME = 100
const EVERY: Millis = 5 * SECOND

/** Ends runs and approvals whose time has passed. */
export function createOverdueEnder(deps: EndDeps & Pick<StepDeps, 'database' | 'clock' | 'log'>): Loop {
  const { clock, log } = deps
  const run = (isOver: () => boolean) => endOverdueRuns(deps, isOver)
  return createLoop({ clock, every: EVERY, first: EVERY, log, name: 'runs whose time is over', run })
}

type Due = OpenRun & Pick<Run, 'status' | 'deadline_at'>

/**
 * Fails runs after their deadline, and denies calls that were not decided in time. Rows hold these times, so a run ends
 * without the process that stepped it.
 */
async function endOverdueRuns(
  deps: EndDeps & Pick<StepDeps, 'database' | 'clock' | 'log'>,
  isOver: () => boolean,
): Promise<void> {
  const { database, clock, log } = deps
  const now = clock.now()
  const read = (after: Due | undefined): Promise<Due[]> =>
    database.background.db
      .selectFrom('run')
      .select([...OF_OPEN_RUN, 'status', 'deadline_at'])
      .where('status', 'in', OPEN)
      .where('deadline_at', '<=', now - GRACE)
      .where(keysetAfter(['deadline_at', 'id'], after))
      .orderBy('deadline_at')
      .orderBy('id')
      .limit(SOME)
      .execute()
  await forEachPagedDespiteErrors(
    { read, most: SOME, isOver },
    (run) =>
      // The transaction may wait for rows of the run's organization.
      database.patient.tx((tx) =>
        run.status === 'waiting' ? deny(tx, deps, run, now) : late(tx, deps, run, now),
      ),
    (error, { id }) => log.error({ err: error, runId: id }, 'a run whose time is over'),
  )
}

async function late(tx: Tx, deps: EndDeps, run: Due, now: Millis): Promise<void> {
  const ending = { status: 'failed', code: 'PROCESSING_FAILED', reason: 'timeout' } as const
  await endOpenRun(tx, deps, run, ending, now, ({ deadline_at }) => deadline_at === run.deadline_at)
}

async function deny(tx: Tx, deps: EndDeps, { id }: Due, now: Millis): Promise<void> {
  // A concurrent decision holds the lock of the run until it is written.
  await lock(tx, tx.selectFrom('run').select('id').where('id', '=', id)).execute()
  const steps = await tx
    .selectFrom('step')
    .select('id')
    .where('run_id', '=', id)
    .where('kind', '=', 'approval')
    .where('status', '=', 'started')
    .where('started_at', '<=', now - APPROVAL_LIFETIME)
    .execute()
  // A person has decided at the same moment.
  if (steps.length === 0) return
  const decisions = steps.map((step) => ({ stepId: step.id, isApproved: false, reason: 'expired' }))
  await decide(tx, deps, id, decisions, undefined, now)
}
