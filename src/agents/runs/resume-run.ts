import type { Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { afterCommit, noteChanges, type Tx } from '../../db/database.ts'
import { lock, lockShared } from '../../db/locking.ts'
import { getConversation, type Requester } from '../conversations/conversation-store.ts'
import { getAgent } from '../definitions/agent-store.ts'
import { readDefinition } from '../definitions/definition.ts'
import { enqueueRun } from '../steps/run-job.ts'
import type { StepDeps } from '../steps/step-deps.ts'
import type { Run } from '../transcript/rows.ts'
import { countAhead, LONGEST_QUEUED } from './start-run.ts'

/**
 * Resumes a failed run after its last finished step, with the same version of its agent and new limits of time and
 * steps. Finished or paid steps are not repeated. In a conversation the run goes ahead of runs that were requested
 * later.
 * @param seen the run, which the requester may use
 * @returns the queued run
 * @throws ApiError FORBIDDEN `run_not_failed`; ENTITY_NOT_FOUND, CONVERSATION_NOT_FOUND where its agent or its
 * conversation was deleted; RATE_LIMITED where too many wait
 */
export async function resumeFailed(
  tx: Tx,
  deps: Pick<StepDeps, 'jobs' | 'signals'>,
  requester: Requester,
  seen: Pick<Run, 'id' | 'agent_id' | 'conversation_id'>,
  now: Millis,
): Promise<Run> {
  const { organizationId } = requester
  // Every transaction locks the conversation before its runs.
  if (seen.conversation_id !== null)
    await getConversation(tx, requester, seen.conversation_id, 'conversationId', lock)
  await getAgent(tx, organizationId, seen.agent_id, lockShared)
  const ahead = await countAhead(tx, organizationId, seen.conversation_id ?? undefined)
  const found = tx.selectFrom('run').selectAll().where('id', '=', seen.id)
  const run = await lock(tx, found).executeTakeFirst()
  if (run?.status !== 'failed') throw new ApiError('FORBIDDEN', { reason: 'run_not_failed' })
  const { timeoutMs } = await readDefinition(tx, run.agent_id, run.agent_version)
  const last = await tx
    .selectFrom('step')
    .select('seq')
    .where('run_id', '=', run.id)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  const jobId = ahead === 0 ? await enqueueRun(tx, deps.jobs, run, now) : null
  const resumed = await tx
    .updateTable('run')
    .set({
      ...{ status: 'queued', output: null, finish_reason: null, error_code: null, error_reason: null },
      ...{ claim_id: null, job_id: jobId, ended_at: null, updated_at: now },
      ...{ deadline_at: now + LONGEST_QUEUED, left_ms: timeoutMs },
      // The resumption gets a position of its own, so that events of later steps come after that of the failure.
      resumed_seq: Math.max(last?.seq ?? 0, run.resumed_seq) + 1,
    })
    .where('id', '=', run.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  noteChanges(tx, 'run', [resumed])
  afterCommit(tx, () => deps.signals.changed(resumed.id))
  return resumed
}
