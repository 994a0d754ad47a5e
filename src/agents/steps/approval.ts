import type { Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { afterCommit, noteChanges, type Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import { notFound } from '../../db/owned-row.ts'
import type { Permissions } from '../../http/permissions.ts'
import { APPROVAL_LIFETIME } from '../transcript/next-move.ts'
import { digestOf, hasEnded, type Run, type Step } from '../transcript/rows.ts'
import type { Attempt } from './attempt.ts'
import { enqueueRun } from './run-job.ts'
import type { StepDeps } from './step-deps.ts'
import { changeStep, insertStep, newStep, type WriteDeps, writeNext } from './step-store.ts'
import type { Order } from './tool-step.ts'

/**
 * Asks a person about calls of one answer. No process claims the run until all of them are decided. @throws
 * LostRunError
 */
export async function requestApprovals(
  { publish, ...writing }: WriteDeps & Pick<StepDeps, 'publish'>,
  attempt: Attempt,
  orders: Order[],
): Promise<void> {
  const { run } = attempt
  await writeNext(writing, attempt, async (tx, now) => {
    const steps = orders.map(({ seq, call, tool }) =>
      newStep(
        {
          ...{
            organization_id: run.organization_id,
            run_id: run.id,
            seq,
            kind: 'approval',
            name: tool.name,
            server_id: tool.serverId,
          },
          first_seq: orders[0]?.seq ?? seq,
          // The approval covers this call with the tool's current definition.
          ...{ call_id: call.id, input: call.arguments, input_digest: digestOf(call.arguments) },
          ...{ definition_digest: tool.definitionDigest, approvers: tool.approvers },
        },
        now,
      ),
    )
    for (const step of steps) await insertStep(tx, step)
    await tx
      .updateTable('run')
      .set({
        ...{ status: 'waiting', claim_id: null, job_id: null, updated_at: now },
        left_ms: Math.max(1, (run.deadline_at ?? now) - now),
        deadline_at: now + APPROVAL_LIFETIME,
      })
      .where('id', '=', run.id)
      .execute()
    for (const { id: stepId, name: tool } of steps)
      await publish(tx, now, {
        organizationId: run.organization_id,
        type: 'agent.run.waiting',
        data: { agentId: run.agent_id, runId: run.id, stepId, tool },
      })
    noteChanges(tx, 'run', [run])
  })
}

/** Why an approved call may not be made; undefined where it may. */
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

/** A decision about a call. */
export interface Decision {
  stepId: Step['id']
  isApproved: boolean
  reason: string | null
}

/** The person or service account that decides. */
interface Decider {
  kind: 'account' | 'grant' | 'apiKey' | 'platformKey'
  actorId: string
  permissions: Permissions
}

/**
 * Checks the tool's setting `approvers`. An administrator is a person who may change the agent, and so that setting.
 * @throws ApiError FORBIDDEN
 */
function checkRight({ approvers }: Step, { kind, permissions }: Decider): void {
  if (approvers === 'key') return
  if (kind !== 'account') throw new ApiError('FORBIDDEN', { reason: 'person_required' })
  if (approvers === 'administrator' && !permissions.has('agents:write'))
    throw new ApiError('FORBIDDEN', { reason: 'administrator_required' })
}

/**
 * Decides about calls of a run, all or none, each once. After the last decision the run is due again in any process.
 * @param decider undefined where the calls have expired
 * @throws ApiError ENTITY_NOT_FOUND where the run has no such approval, DUPLICATE where it is decided, FORBIDDEN where
 * the decider has no right, the run has ended or the time has passed
 */
export async function decide(
  tx: Tx,
  { jobs, signals }: Pick<StepDeps, 'jobs' | 'signals'>,
  runId: Run['id'],
  decisions: Decision[],
  decider: Decider | undefined,
  now: Millis,
): Promise<Run> {
  const run = await lock(tx, tx.selectFrom('run').selectAll().where('id', '=', runId)).executeTakeFirst()
  const query = tx.selectFrom('step').selectAll().where('run_id', '=', runId).where('kind', '=', 'approval')
  const steps = new Map((await query.execute()).map((step) => [step.id, step]))
  for (const { stepId, isApproved, reason } of decisions) {
    const step = steps.get(stepId)
    if (run === undefined || step === undefined) throw notFound('stepId', stepId)
    if (step.decided_by !== null) throw new ApiError('DUPLICATE', { field: 'stepId', value: stepId })
    if (hasEnded(run)) throw new ApiError('FORBIDDEN', { reason: 'run_ended' })
    if (decider !== undefined) {
      checkRight(step, decider)
      const isLate = step.status !== 'started' || step.started_at + APPROVAL_LIFETIME <= now
      if (isLate) throw new ApiError('FORBIDDEN', { reason: 'approval_expired' })
    }
    const status = isApproved ? ('succeeded' as const) : ('failed' as const)
    const change = { status, reason, decided_by: decider?.actorId ?? null, ended_at: now }
    await changeStep(tx, step, change)
    steps.set(stepId, { ...step, ...change })
  }
  if (run === undefined) throw notFound('id', runId)
  const isWaiting = [...steps.values()].some(({ status }) => status === 'started')
  const change = isWaiting
    ? { updated_at: now }
    : {
        ...{ status: 'running' as const, job_id: await enqueueRun(tx, jobs, run, now) },
        ...{ deadline_at: now + run.left_ms, updated_at: now },
      }
  const after = await tx
    .updateTable('run')
    .set(change)
    .where('id', '=', run.id)
    .where('status', '=', 'waiting')
    .returningAll()
    .executeTakeFirstOrThrow()
  noteChanges(tx, 'run', [after])
  afterCommit(tx, () => signals.changed(run.id))
  return after
}
