import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { literal } from '../../db/literal.ts'
import { type EndDeps, endRun, lockConversation } from '../steps/end-run.ts'
import { cancelRunJobs } from '../steps/run-job.ts'
import type { StepDeps } from '../steps/step-deps.ts'
import { OPEN, type Run } from '../transcript/rows.ts'

/** Runs that one query of an organization's open runs reads. */
const SOME = 100

/** A run to cancel, as it was read; it may have ended since. */
type Seen = Pick<Run, 'id' | 'organization_id' | 'conversation_id' | 'job_id'>
const SEEN = ['id', 'organization_id', 'conversation_id', 'job_id'] as const

/** Cancels a run, in any process that steps it; one that has ended stays as it is. */
export async function cancelRun(tx: Tx, deps: EndDeps, run: Seen, now: Millis): Promise<void> {
  await cancelRunJobs(tx, deps.jobs, [run], now)
  await endRun(tx, deps, run, { status: 'cancelled' }, now)
}

/** Cancels the open runs of a conversation, and locks it. */
export async function cancelConversation(
  tx: Tx,
  deps: EndDeps,
  id: NonNullable<Run['conversation_id']>,
  now: Millis,
): Promise<void> {
  const readOpen = (): Promise<Seen[]> =>
    tx
      .selectFrom('run')
      .select(SEEN)
      .where('conversation_id', '=', id)
      .where('status', 'in', OPEN)
      // The last run first, so that cancelling one never starts the next.
      .orderBy('turn', 'desc')
      .execute()
  await cancelRunJobs(tx, deps.jobs, await readOpen(), now)
  await lockConversation(tx, id)
  for (const run of await readOpen()) await endRun(tx, deps, run, { status: 'cancelled' }, now)
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
      .select(SEEN)
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
