import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { literal } from '../../db/literal.ts'
import {
  type EndDeps,
  endCancelledRun,
  endOpenRun,
  lockConversation,
  OF_OPEN_RUN,
  type OpenRun,
} from '../steps/end-run.ts'
import { cancelRunJobs } from '../steps/run-job.ts'
import type { StepDeps } from '../steps/step-deps.ts'
import { OPEN, type Run } from '../transcript/rows.ts'

/** Runs that one query of an organization's open runs reads. */
const SOME = 100

/** Cancels a run, whichever process steps it. An ended run does not change. */
export function cancelRun(tx: Tx, deps: EndDeps, run: OpenRun, now: Millis): Promise<void> {
  return endOpenRun(tx, deps, run, { status: 'cancelled' }, now)
}

/** Cancels the open runs of a conversation, and locks it. */
export async function cancelConversation(
  tx: Tx,
  deps: EndDeps,
  id: NonNullable<Run['conversation_id']>,
  now: Millis,
): Promise<void> {
  const readOpen = (): Promise<OpenRun[]> =>
    tx
      .selectFrom('run')
      .select(OF_OPEN_RUN)
      .where('conversation_id', '=', id)
      .where('status', 'in', OPEN)
      // The last run first, so that cancelling one never starts the next.
      .orderBy('turn', 'desc')
      .execute()
  const before = await readOpen()
  await cancelRunJobs(tx, deps.jobs, before, now)
  await lockConversation(tx, id)
  const cancelled = new Map(before.map((run) => [run.id, run.job_id]))
  for (const run of await readOpen()) {
    const job_id = cancelled.get(run.id) ?? null
    await endCancelledRun(tx, deps, { ...run, job_id }, { status: 'cancelled' }, now)
  }
}

/** Cancels the open runs of an organization, each in its own transaction, since there may be very many. */
export async function cancelOrganization(
  deps: EndDeps & Pick<StepDeps, 'database'>,
  id: Id<'organization'>,
  now: Millis,
): Promise<void> {
  const { database } = deps
  for (;;) {
    const open = await database.db
      .selectFrom('run')
      .select(OF_OPEN_RUN)
      .where('organization_id', '=', id)
      .where('status', 'in', OPEN.map(literal))
      // The last run first, so that cancelling one never starts the next of its conversation.
      .orderBy('id', 'desc')
      .limit(SOME)
      .execute()
    for (const run of open) await database.tx((tx) => cancelRun(tx, deps, run, now))
    if (open.length < SOME) return
  }
}
