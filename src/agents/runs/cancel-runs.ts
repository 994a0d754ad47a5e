import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { literal } from '../../db/literal.ts'
import { type EndDeps, endRun } from '../steps/end-run.ts'
import type { StepDeps } from '../steps/step-deps.ts'
import { OPEN, type Run } from '../transcript/rows.ts'

/** Runs that one transaction cancels. */
const SOME = 100

/** Cancels the open runs of a conversation. */
export async function cancelConversation(
  tx: Tx,
  deps: EndDeps,
  id: NonNullable<Run['conversation_id']>,
  now: Millis,
): Promise<void> {
  const open = await tx
    .selectFrom('run')
    .select(['id', 'conversation_id'])
    .where('conversation_id', '=', id)
    .where('status', 'in', OPEN)
    // The last run first, so that cancelling one never starts the next.
    .orderBy('turn', 'desc')
    .execute()
  for (const run of open) await endRun(tx, deps, run, { status: 'cancelled' }, now)
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
      .select(['id', 'conversation_id'])
      .where('organization_id', '=', id)
      .where('status', 'in', OPEN.map(literal))
      // The last run first, so that cancelling one never starts the next of its conversation.
      .orderBy('id', 'desc')
      .limit(SOME)
      .execute()
    for (const run of open) await database.tx((tx) => endRun(tx, deps, run, { status: 'cancelled' }, now))
    if (open.length < SOME) return
  }
}
