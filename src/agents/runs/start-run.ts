import { DAY, type Millis, SECOND } from '../../core/clock.ts'
import { currentSpan } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { type Id, newId } from '../../core/id.ts'
import { afterCommit, type Db, noteChanges, type Tx } from '../../db/database.ts'
import { prepared, preparedInsert } from '../../db/engine/prepared.ts'
import { literal } from '../../db/literal.ts'
import { lock, lockShared } from '../../db/locking.ts'
import { notFound } from '../../db/owned-row.ts'
import { addMessage, getConversation, type Requester } from '../conversations/conversation-store.ts'
import { getAgent } from '../definitions/agent-store.ts'
import { readDefinition } from '../definitions/definition.ts'
import { enqueueRun } from '../steps/run-job.ts'
import type { StepDeps } from '../steps/step-deps.ts'
import { OPEN, type Run } from '../transcript/rows.ts'

/** Most queued runs of a conversation. */
const MOST_QUEUED = 10
/** The time after which the queue may have room. */
const QUEUE_RETRY: Millis = 5 * SECOND
/** Most open runs of an organization: each takes rows and turns. */
const MOST_OPEN = 10_000
/** A run that has not started after this time fails. */
export const LONGEST_QUEUED: Millis = DAY

/** A request for a run. */
interface RunRequest {
  agentId: string
  input: string
  conversationId?: string | undefined
  fileIds?: Id<'file'>[] | undefined
  metadata?: object | undefined
}

/**
 * Accepts a run: the row, the message and the job commit together. In a conversation it waits until earlier runs have
 * ended.
 * @throws ApiError ENTITY_NOT_FOUND, CONVERSATION_NOT_FOUND, RATE_LIMITED where too many wait
 */
export async function startRun(
  tx: Tx,
  deps: Pick<StepDeps, 'clock' | 'files' | 'signals' | 'jobs' | 'trace'>,
  requester: Requester,
  request: RunRequest,
  now: Millis,
): Promise<Run> {
  const { organizationId, actorId } = requester
  const { conversationId, fileIds = [], metadata = {} } = request
  const conversation =
    conversationId === undefined
      ? undefined
      : await getConversation(tx, requester, conversationId, 'conversationId', lock)
  // Locked, so that an agent whose deletion is in progress starts no run.
  const agent = await getAgent(tx, organizationId, request.agentId, lockShared)
  const definition = await readDefinition(tx, agent.id, agent.version)
  for (const [index, id] of fileIds.entries())
    if ((await deps.files.find(tx, organizationId, id)) === undefined) throw notFound(`fileIds.${index}`, id)
  const ahead = await countAhead(tx, organizationId, conversation?.id)
  const turn = conversation === undefined ? null : conversation.turns + 1
  const run: Run = {
    id: newId('run', now),
    organization_id: organizationId,
    agent_id: agent.id,
    agent_version: agent.version,
    conversation_id: conversation?.id ?? null,
    turn,
    owner_id: actorId,
    status: 'queued',
    input: request.input,
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
    left_ms: definition.timeoutMs,
    resumed_seq: 0,
    created_at: now,
    started_at: null,
    ended_at: null,
    updated_at: now,
  }
  if (ahead === 0) run.job_id = await enqueueRun(tx, deps.jobs, run, now)
  await insertRun(tx, [run])
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
  noteChanges(tx, 'run', [run])
  const cause = currentSpan()
  afterCommit(tx, () => {
    deps.signals.changed(run.id)
    deps.trace?.accepted(run, cause, deps.clock.now())
  })
  return run
}

const insertRun = preparedInsert('run', [
  ...(['id', 'organization_id', 'agent_id', 'agent_version', 'conversation_id', 'turn', 'owner_id'] as const),
  ...([
    'status',
    'input',
    'file_ids',
    'metadata',
    'output',
    'error_code',
    'error_reason',
    'claim_id',
  ] as const),
  ...(['job_id', 'deadline_at', 'left_ms', 'created_at', 'started_at', 'ended_at', 'updated_at'] as const),
  ...(['finish_reason', 'resumed_seq'] as const),
])

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

/** Counts the runs of the conversation that come first. @throws ApiError RATE_LIMITED where too many are open */
export async function countAhead(
  tx: Tx,
  organizationId: Id<'organization'>,
  conversationId: Id<'conversation'> | undefined,
): Promise<number> {
  const [all] = await countOpen(tx, { organizationId })
  const retryAfterSeconds = QUEUE_RETRY / SECOND
  if (Number(all?.count) >= MOST_OPEN) throw new ApiError('RATE_LIMITED', { retryAfterSeconds })
  if (conversationId === undefined) return 0
  const line = await openRuns(tx, organizationId)
    .where('conversation_id', '=', conversationId)
    .executeTakeFirstOrThrow()
  // One of them is not waiting but running.
  if (Number(line.count) > MOST_QUEUED) throw new ApiError('RATE_LIMITED', { retryAfterSeconds })
  return Number(line.count)
}
