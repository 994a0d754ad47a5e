import { DAY, type Millis, SECOND } from '../../core/clock.ts'
import { currentSpan } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { type Id, newId, parseId } from '../../core/id.ts'
import type { ActiveSpan } from '../../core/span-context.ts'
import { afterCommit, type Db, noteChanges, type Tx } from '../../db/database.ts'
import { preparedListInsert } from '../../db/engine/lists.ts'
import { prepared } from '../../db/engine/prepared.ts'
import { literal } from '../../db/literal.ts'
import { lock } from '../../db/locking.ts'
import { notFound } from '../../db/owned-row.ts'
import { addMessage, getConversation, type Requester } from '../conversations/conversation-store.ts'
import { parseDefinition, readDefinition } from '../definitions/definition.ts'
import { enqueueRun } from '../steps/run-job.ts'
import type { StepDeps } from '../steps/step-deps.ts'
import { OPEN, type Run } from '../transcript/rows.ts'
import { lockStartable, type StartableAgent } from './startable-agents.ts'

/** Most queued runs of a conversation. */
const MOST_QUEUED = 10
/** The time after which the queue may have room. */
const QUEUE_RETRY: Millis = 5 * SECOND
/** Most open runs of an organization: each takes rows and turns. */
const MOST_OPEN = 10_000
/** A run that has not started after this time fails. */
export const LONGEST_QUEUED: Millis = DAY

/** A request for a run. */
export interface RunRequest {
  agentId: string
  input: string
  conversationId?: string | undefined
  fileIds?: Id<'file'>[] | undefined
  metadata?: object | undefined
}

type Deps = Pick<StepDeps, 'clock' | 'files' | 'signals' | 'jobs' | 'trace'>

/**
 * Accepts a run: the row, the message and the job commit together. In a conversation it waits until earlier runs have
 * ended.
 * @throws ApiError ENTITY_NOT_FOUND, CONVERSATION_NOT_FOUND, RATE_LIMITED where too many wait
 */
export async function startRun(
  tx: Tx,
  deps: Deps,
  requester: Requester,
  request: RunRequest,
  now: Millis,
): Promise<Run> {
  const { organizationId } = requester
  const { conversationId, fileIds = [] } = request
  const conversation =
    conversationId === undefined
      ? undefined
      : await getConversation(tx, requester, conversationId, 'conversationId', lock)
  const agentId = parseId('agent', request.agentId, 'id')
  // Locked, so that an agent whose deletion is in progress starts no run.
  const agent = await lockStartable(tx, organizationId, agentId)
  if (agent === undefined) throw notFound('id', agentId)
  const { timeoutMs } =
    agent.definition === null
      ? await readDefinition(tx, agentId, agent.version)
      : parseDefinition(agent.definition)
  for (const [index, id] of fileIds.entries())
    if ((await deps.files.find(tx, organizationId, id)) === undefined) throw notFound(`fileIds.${index}`, id)
  if (!mayOpen(agent.open)) throw tooMany()
  const ahead = await countInLine(tx, organizationId, conversation?.id)
  const turn = conversation === undefined ? null : conversation.turns + 1
  const run: Run = {
    ...newRun(requester, agent, timeoutMs, request, now),
    ...{ conversation_id: conversation?.id ?? null, turn },
  }
  if (ahead === 0) run.job_id = await enqueueRun(tx, deps.jobs, run, now)
  await insertRuns(tx, [run])
  if (conversation !== undefined && turn !== null) {
    await tx
      .updateTable('conversation')
      .set({ turns: turn, updated_at: now })
      .where('id', '=', conversation.id)
      .execute()
    const message = { role: 'user', content: request.input, finish_reason: null } as const
    const place = { organization_id: organizationId, conversation_id: conversation.id, run_id: run.id, turn }
    await addMessage(tx, { ...place, ...message }, now)
  }
  reportAccepted(tx, deps, [{ run, cause: currentSpan() }])
  return run
}

/** A new run outside of conversations, without a job. */
export function newRun(
  { organizationId, actorId }: Requester,
  agent: Pick<StartableAgent, 'id' | 'version'>,
  timeoutMs: Millis,
  { input, fileIds = [], metadata = {} }: RunRequest,
  now: Millis,
): Run {
  return {
    id: newId('run', now),
    organization_id: organizationId,
    agent_id: agent.id,
    agent_version: agent.version,
    conversation_id: null,
    turn: null,
    owner_id: actorId,
    status: 'queued',
    input,
    file_ids: JSON.stringify(fileIds),
    file_notes: null,
    metadata: JSON.stringify(metadata),
    output: null,
    finish_reason: null,
    error_code: null,
    error_reason: null,
    claim_id: null,
    job_id: null,
    deadline_at: now + LONGEST_QUEUED,
    left_ms: timeoutMs,
    resumed_seq: 0,
    created_at: now,
    started_at: null,
    ended_at: null,
    updated_at: now,
  }
}

/** Shows accepted runs to their readers and in traces, after the commit. */
export function reportAccepted(
  tx: Tx,
  { clock, signals, trace }: Pick<Deps, 'clock' | 'signals' | 'trace'>,
  accepted: { run: Run; cause: ActiveSpan | undefined }[],
): void {
  noteChanges(
    tx,
    'run',
    accepted.map(({ run }) => run),
  )
  afterCommit(tx, () => {
    for (const { run, cause } of accepted) {
      signals.changed(run.id)
      trace?.accepted(run, cause, clock.now())
    }
  })
}

export const insertRuns = preparedListInsert('run', {
  ...{ id: 'text', organization_id: 'text', agent_id: 'text', agent_version: 'integer' },
  ...{ conversation_id: 'text', turn: 'integer', owner_id: 'text', status: 'text', input: 'text' },
  ...{ file_ids: 'text', file_notes: 'text', metadata: 'text', output: 'text', finish_reason: 'text' },
  ...{ error_code: 'text', error_reason: 'text', claim_id: 'text', job_id: 'text' },
  ...{ deadline_at: 'integer', left_ms: 'integer', resumed_seq: 'integer' },
  ...{ created_at: 'integer', started_at: 'integer', ended_at: 'integer', updated_at: 'integer' },
})

/** Counts the open runs of an organization. */
export function openRuns(from: Db | Tx, organizationId: Id<'organization'>) {
  return from
    .selectFrom('run')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .where('status', 'in', OPEN.map(literal))
}

const countOpen = prepared<{ organizationId: Id<'organization'> }>()((db, value) =>
  openRuns(db, value('organizationId')),
)

/** Whether an organization with so many open runs may start another one. */
export function mayOpen(open: number): boolean {
  return open < MOST_OPEN
}

function tooMany(): ApiError<'RATE_LIMITED'> {
  return new ApiError('RATE_LIMITED', { retryAfterSeconds: QUEUE_RETRY / SECOND })
}

/** Counts the runs of the conversation that come first. @throws ApiError RATE_LIMITED where too many are open */
export async function countAhead(
  tx: Tx,
  organizationId: Id<'organization'>,
  conversationId: Id<'conversation'> | undefined,
): Promise<number> {
  const [all] = await countOpen(tx, { organizationId })
  if (!mayOpen(Number(all?.count))) throw tooMany()
  return countInLine(tx, organizationId, conversationId)
}

async function countInLine(
  tx: Tx,
  organizationId: Id<'organization'>,
  conversationId: Id<'conversation'> | undefined,
): Promise<number> {
  if (conversationId === undefined) return 0
  const line = await openRuns(tx, organizationId)
    .where('conversation_id', '=', conversationId)
    .executeTakeFirstOrThrow()
  // One of them is not waiting but running.
  if (Number(line.count) > MOST_QUEUED) throw tooMany()
  return Number(line.count)
}
