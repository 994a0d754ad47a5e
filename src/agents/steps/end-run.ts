import type { Millis } from '../../core/clock.ts'
import type { ErrorCode } from '../../core/errors.ts'
import { spanContextOf } from '../../core/span-context.ts'
import { afterCommit, noteChanges, type Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import type { Fact } from '../../delivery/publish/publish.ts'
import { addMessage } from '../conversations/conversation-store.ts'
import { costOf, estimateTokens, type FinishReason } from '../models/model.ts'
import { OPEN, type Run, type Step } from '../transcript/rows.ts'
import { errorOf } from '../transcript/run-errors.ts'
import type { Attempt } from './attempt.ts'
import { cancelRunJobs, enqueueRun } from './run-job.ts'
import type { StepDeps } from './step-deps.ts'
import { changeStep, payUnwritten, readSteps, settleStep } from './step-store.ts'

/** The end of a run. */
export type Ending =
  | { status: 'succeeded'; output: string; finish: FinishReason }
  | { status: 'failed'; code: ErrorCode; reason: string | null; finish?: FinishReason | null }
  | { status: 'cancelled' }

export type EndDeps = Pick<
  StepDeps,
  'publish' | 'charge' | 'stepPrice' | 'models' | 'jobs' | 'signals' | 'live' | 'metrics' | 'trace'
>

/** Longest output in an event, in characters; GET returns all of it. */
const LONGEST_IN_EVENT = 64 * 1024

/**
 * Ends a run in one transaction: its status, open steps, event, conversation message, and the conversation's next turn.
 * A run that has ended stays as it is.
 * @param attempt its claim must still hold the run, and its outcomes are written; without it the caller settles the job of
 * the run, or has cancelled it (`endOpenRun`)
 * @returns the updated run; undefined where it had ended, or the claim was lost
 */
export async function endRun(
  tx: Tx,
  deps: EndDeps,
  run: Pick<Run, 'id' | 'conversation_id'>,
  ending: Ending,
  now: Millis,
  attempt?: Attempt,
): Promise<Run | undefined> {
  if (run.conversation_id !== null) await lockConversation(tx, run.conversation_id)
  return endLocked(tx, deps, run, ending, now, attempt)
}

/** As `endRun`, where `tx` has locked the conversation. */
async function endLocked(
  tx: Tx,
  deps: EndDeps,
  run: Pick<Run, 'id'>,
  ending: Ending,
  now: Millis,
  attempt?: Attempt,
): Promise<Run | undefined> {
  const ended = await tx
    .updateTable('run')
    .set({
      status: ending.status,
      output: 'output' in ending ? ending.output : null,
      finish_reason: 'finish' in ending ? (ending.finish ?? null) : null,
      error_code: 'code' in ending ? ending.code : null,
      error_reason: 'reason' in ending ? ending.reason : null,
      ...{ claim_id: null, job_id: null, deadline_at: null, ended_at: now, updated_at: now },
    })
    .where('id', '=', run.id)
    .where('status', 'in', OPEN)
    .$if(attempt !== undefined, (query) => query.where('claim_id', '=', attempt?.run.claim_id ?? null))
    .returningAll()
    .executeTakeFirst()
  if (ended === undefined) return undefined
  await payUnwritten(tx, deps.charge, attempt?.unwritten ?? [])
  const steps = await endSteps(tx, deps, ended, ending, now)
  await deps.publish(tx, now, toCompleted(ended))
  if (ended.conversation_id !== null) await endTurn(tx, deps, ended, now)
  noteChanges(tx, 'run', [ended])
  afterCommit(tx, () => reportEnd(deps, ended, steps))
  return ended
}

/** The columns of a run that its end needs. The run may have ended since they were read, or have another job. */
export type OpenRun = Pick<Run, (typeof OF_OPEN_RUN)[number]>
export const OF_OPEN_RUN = ['id', 'organization_id', 'conversation_id', 'job_id'] as const

/**
 * Ends a run that any process may step, and cancels its job, so that this process breaks off its step after the commit.
 * @param isStill whether the run, as it is now, is to end; asked where it was read before
 */
export async function endOpenRun(
  tx: Tx,
  deps: EndDeps,
  run: OpenRun,
  ending: Ending,
  now: Millis,
  isStill: (run: Run) => boolean = () => true,
): Promise<void> {
  await cancelRunJobs(tx, deps.jobs, [run], now)
  if (run.conversation_id !== null) await lockConversation(tx, run.conversation_id)
  await endCancelledRun(tx, deps, run, ending, now, isStill)
}

/** As `endOpenRun`, where `tx` has cancelled the job of the run as it was read, and then locked the conversation. */
export async function endCancelledRun(
  tx: Tx,
  deps: EndDeps,
  run: Pick<OpenRun, 'id' | 'job_id'>,
  ending: Ending,
  now: Millis,
  isStill: (run: Run) => boolean = () => true,
): Promise<void> {
  const query = tx.selectFrom('run').selectAll().where('id', '=', run.id)
  const found = await lock(tx, query).executeTakeFirst()
  if (found === undefined || !isStill(found)) return
  // A decision or a resumption has added another job since the run was read.
  if (found.job_id !== run.job_id) await cancelRunJobs(tx, deps.jobs, [found], now)
  await endLocked(tx, deps, found, ending, now)
}

/** The event about the end of a run. */
export function toCompleted(run: Run): Fact {
  return {
    organizationId: run.organization_id,
    type: 'agent.run.completed',
    cause: spanContextOf(run.id),
    data: {
      agentId: run.agent_id,
      runId: run.id,
      status: run.status,
      durationMs: durationOf(run),
      finishReason: run.finish_reason,
      output: (run.output ?? '').slice(0, LONGEST_IN_EVENT).toWellFormed(),
      conversationId: run.conversation_id,
      metadata: JSON.parse(run.metadata),
      error: errorOf(run),
    },
  }
}

/** Notifies the readers of a run and the metrics, after the commit. */
export function reportEnd(
  { signals, metrics, trace }: Pick<EndDeps, 'signals' | 'metrics' | 'trace'>,
  run: Run,
  steps: Step[],
): void {
  const { id, status, resumed_seq: resumedSeq } = run
  signals.changed(id)
  metrics.endedRuns.inc({ status })
  // Steps before the resumption were counted when the run failed.
  const own = steps.filter(({ seq }) => seq > resumedSeq)
  for (const { kind, status } of own) metrics.steps.inc({ kind, status })
  trace?.ended(run, own)
}

/** The duration of a run including its waits; 0 where it never started. */
export function durationOf({ started_at, ended_at }: Pick<Run, 'started_at' | 'ended_at'>): Millis {
  return started_at === null || ended_at === null ? 0 : Math.max(0, ended_at - started_at)
}

/** Locks a conversation, which every transaction does before it locks the runs in it. */
export async function lockConversation(tx: Tx, id: NonNullable<Run['conversation_id']>): Promise<void> {
  await lock(tx, tx.selectFrom('conversation').select('id').where('id', '=', id)).execute()
}

/** Ends the open steps of a run and charges known usage. @returns all steps, updated */
async function endSteps(tx: Tx, deps: EndDeps, run: Run, ending: Ending, now: Millis): Promise<Step[]> {
  const reason = 'reason' in ending ? (ending.reason ?? ending.status) : ending.status
  const steps = await readSteps(tx, run.id)
  const ended: Step[] = []
  for (const step of steps) {
    if (step.status !== 'started') {
      ended.push(step)
      continue
    }
    const used = usedBy(step, deps)
    const cost = used.cost + (step.kind === 'approval' ? 0 : deps.stepPrice)
    const credits = await settleStep(tx, deps.charge, step, cost, now)
    const status = step.kind === 'tool' ? 'unknown' : 'failed'
    const change = { status, reason, credits, output_tokens: used.outputTokens, reservation: null } as const
    await changeStep(tx, step, { ...change, ended_at: now })
    ended.push({ ...step, ...change, ended_at: now })
  }
  return ended
}

/** The usage of an aborted model call: all input, and the text that arrived. */
function usedBy(step: Step, { models, live }: EndDeps): { outputTokens: number; cost: number } {
  const prices = step.kind === 'model' ? models.get(step.name)?.prices : undefined
  const outputTokens =
    step.kind === 'model' ? estimateTokens(live.get(step.run_id)?.streamedText()?.text ?? '') : 0
  const usage = { inputTokens: step.input_tokens, outputTokens }
  return { outputTokens, cost: prices === undefined ? 0 : costOf(prices, usage) }
}

/** Adds the answer to the conversation, and makes the next run due. */
async function endTurn(tx: Tx, deps: EndDeps, run: Run, now: Millis): Promise<void> {
  const { conversation_id: conversationId, organization_id: organizationId } = run
  if (conversationId === null || run.turn === null) return
  if (run.output !== null)
    await addMessage(
      tx,
      {
        ...{ organization_id: organizationId, conversation_id: conversationId, run_id: run.id },
        ...{ turn: run.turn, role: 'assistant', content: run.output, finish_reason: run.finish_reason },
      },
      now,
    )
  await tx.updateTable('conversation').set({ updated_at: now }).where('id', '=', conversationId).execute()
  await beginNextTurn(tx, deps, conversationId, now)
}

/** Makes the first waiting run of a conversation due, unless another one is running. */
async function beginNextTurn(
  tx: Tx,
  { jobs }: Pick<EndDeps, 'jobs'>,
  conversationId: NonNullable<Run['conversation_id']>,
  now: Millis,
): Promise<void> {
  const [next] = await tx
    .selectFrom('run')
    .select(['id', 'organization_id', 'status', 'job_id'])
    .where('conversation_id', '=', conversationId)
    .where('status', 'in', OPEN)
    .orderBy('turn')
    .limit(1)
    .execute()
  if (next === undefined || next.status !== 'queued' || next.job_id !== null) return
  const jobId = await enqueueRun(tx, jobs, next, now)
  await tx.updateTable('run').set({ job_id: jobId }).where('id', '=', next.id).execute()
}
