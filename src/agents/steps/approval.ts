import { DAY, type Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { afterCommit, noteChanges, type Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import { notFound } from '../../db/owned-row.ts'
import { digestOf, hasEnded, type Run, type Step } from '../transcript/rows.ts'
import type { Attempt } from './attempt.ts'
import { enqueueRun } from './run-job.ts'
import type { StepDeps } from './step-deps.ts'
import { changeStep, insertStep, newStep, type Writing, writeNext } from './step-store.ts'
import type { Order } from './tool-step.ts'

/** How long a person has to decide; after that the call is denied. */
export const APPROVAL_LIFETIME: Millis = DAY

/** Asks a person about a call: the run is nobody's until there is an answer. @throws LostRunError */
export async function askApproval(
  { publish, ...writing }: Writing & Pick<StepDeps, 'publish'>,
  attempt: Attempt,
  { seq, call, tool }: Order,
): Promise<void> {
  const { run } = attempt
  await writeNext(writing, attempt, async (tx, now) => {
    const step = newStep(
      {
        ...{ run_id: run.id, seq, kind: 'approval', name: tool.name, server_id: tool.serverId },
        // What is approved is this call of this tool as it is now, and no other.
        ...{ call_id: call.id, input: call.arguments, input_digest: digestOf(call.arguments) },
        definition_digest: tool.definitionDigest,
      },
      now,
    )
    await insertStep(tx, step)
    await tx
      .updateTable('run')
      .set({
        ...{ status: 'waiting', claim_id: null, job_id: null, updated_at: now },
        left_ms: Math.max(1, (run.deadline_at ?? now) - now),
        deadline_at: now + APPROVAL_LIFETIME,
      })
      .where('id', '=', run.id)
      .execute()
    await publish(tx, now, {
      organizationId: run.organization_id,
      type: 'agent.run.waiting',
      data: { agentId: run.agent_id, runId: run.id, stepId: step.id, tool: tool.name },
    })
    noteChanges(tx, 'run', [run])
  })
}

/** Why the call that a person has approved may not be made; undefined where it may. */
export function whyNotApproved(
  approval: Step,
  { call, tool }: Pick<Order, 'call' | 'tool'>,
): 'denied' | 'expired' | 'changed' | undefined {
  if (approval.status !== 'succeeded') return approval.decided_by === null ? 'expired' : 'denied'
  const isSame =
    approval.name === tool.name &&
    approval.server_id === tool.serverId &&
    approval.definition_digest === tool.definitionDigest &&
    approval.input_digest === digestOf(call.arguments)
  return isSame ? undefined : 'changed'
}

interface Decision {
  isApproved: boolean
  reason: string | null
  /** null: nobody decided in time. */
  actorId: string | null
}

/**
 * Decides about a call, once; the run goes on from there, in whichever process.
 * @throws ApiError ENTITY_NOT_FOUND where the run has no such approval, DUPLICATE where it is decided, FORBIDDEN where the
 * run has ended or the time is over
 */
export async function decide(
  tx: Tx,
  { jobs, signals }: Pick<StepDeps, 'jobs' | 'signals'>,
  runId: Run['id'],
  stepId: Step['id'],
  { isApproved, reason, actorId }: Decision,
  now: Millis,
): Promise<Run> {
  const run = await lock(tx, tx.selectFrom('run').selectAll().where('id', '=', runId)).executeTakeFirst()
  const step = await tx
    .selectFrom('step')
    .selectAll()
    .where('id', '=', stepId)
    .where('run_id', '=', runId)
    .where('kind', '=', 'approval')
    .executeTakeFirst()
  if (run === undefined || step === undefined) throw notFound('stepId', stepId)
  if (step.decided_by !== null) throw new ApiError('DUPLICATE', { field: 'stepId', value: stepId })
  if (hasEnded(run)) throw new ApiError('FORBIDDEN', { reason: 'run_ended' })
  const isLate = step.status !== 'started' || step.started_at + APPROVAL_LIFETIME <= now
  if (actorId !== null && isLate) throw new ApiError('FORBIDDEN', { reason: 'approval_expired' })
  await changeStep(tx, step, {
    ...{ status: isApproved ? 'succeeded' : 'failed', reason, decided_by: actorId, ended_at: now },
  })
  const jobId = await enqueueRun(tx, jobs, run, now)
  const after = await tx
    .updateTable('run')
    .set({ status: 'running', job_id: jobId, deadline_at: now + run.left_ms, updated_at: now })
    .where('id', '=', run.id)
    .where('status', '=', 'waiting')
    .returningAll()
    .executeTakeFirstOrThrow()
  noteChanges(tx, 'run', [after])
  afterCommit(tx, () => signals.changed(run.id))
  return after
}
