import { toIso, toIsoOrNull } from '../../core/clock.ts'
import type { Db, Tx } from '../../db/database.ts'
import { getOwned, notFound } from '../../db/owned-row.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { Moment, Nullable } from '../../http/schema/validation.ts'
import { rowView } from '../../live/row-view.ts'
import { mayUse, type Requester } from '../conversations/conversation-store.ts'
import { durationOf } from '../steps/end-run.ts'
import { APPROVERS } from '../tools/tool.ts'
import { answerOf, hasEnded, notesOf, type Run, type Step } from '../transcript/rows.ts'
import { errorOf } from '../transcript/run-errors.ts'

/** All states of a run. */
export const RUN_STATUSES = [
  'queued',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'cancelled',
] as const satisfies Run['status'][]

const FinishReasonSchema = Nullable(
  Type.String({
    enum: ['stop', 'length', 'refused'],
    description:
      'Why the model ended its answer. `stop`: the answer is complete. `length`: it was cut at `maxOutputTokens`. `refused`: the model refused to answer.',
  }),
)

const ProviderMessageSchema = Nullable(
  Type.String({ description: "The provider's own message about a failure." }),
)

const ApprovalSchema = Type.Object({
  stepId: Type.String(),
  tool: Type.String(),
  serverId: Nullable(Type.String()),
  arguments: Type.String({ description: 'JSON, as the model wrote it.' }),
  approvers: Type.String({ enum: APPROVERS, description: 'The deciders of the call.' }),
})

export const RunSchema = Type.Object({
  id: Type.String(),
  agentId: Type.String(),
  agentVersion: Type.Integer(),
  conversationId: Nullable(Type.String()),
  status: Type.String({
    enum: RUN_STATUSES,
    description:
      '`queued`: it waits for its turn. `waiting`: it waits for a decision about each call in `approvals`. `succeeded`, `failed` and `cancelled` are final, except that a failed run can be resumed.',
  }),
  input: Type.String(),
  fileIds: Type.Array(Type.String()),
  fileNotes: Type.Array(
    Type.Object({
      fileId: Type.String(),
      name: Type.String(),
      note: Type.String({ description: 'The sentence that the model reads about this file.' }),
    }),
    { description: 'The notes for the model about files that could not be read completely.' },
  ),
  metadata: Type.Object({}, { additionalProperties: true }),
  output: Nullable(Type.String()),
  finishReason: FinishReasonSchema,
  error: Nullable(
    Type.Object({
      code: Type.String({ description: 'A code of the error catalogue.' }),
      message: Type.String({ description: 'The cause, and the remedy.' }),
      details: Type.Object({
        reason: Nullable(Type.String()),
        providerMessage: ProviderMessageSchema,
      }),
    }),
  ),
  approval: Nullable(ApprovalSchema),
  approvals: Type.Array(ApprovalSchema, {
    description: 'The calls that wait for a decision; the run continues when all of them are decided.',
  }),
  steps: Type.Integer(),
  usage: Type.Object({ inputTokens: Type.Integer(), outputTokens: Type.Integer() }),
  credits: Type.Integer({ description: 'The cost of its steps.' }),
  createdBy: Type.String(),
  createdAt: Moment,
  startedAt: Nullable(Moment),
  endedAt: Nullable(Moment),
  durationMs: Nullable(Type.Integer()),
})

export const StepSchema = Type.Object({
  id: Type.String(),
  seq: Type.Integer(),
  kind: Type.String({ enum: ['model', 'tool', 'approval'] }),
  status: Type.String({
    enum: ['started', 'succeeded', 'failed', 'unknown'],
    description:
      '`unknown`: it was begun, and its outcome is unknown; it is not repeated. Of an approval, `failed` means denied, not decided in time, or that the run ended before.',
  }),
  name: Type.String({ description: 'The model, or the tool.' }),
  serverId: Nullable(Type.String()),
  callId: Nullable(Type.String()),
  arguments: Nullable(Type.String({ description: 'JSON, as the model wrote it.' })),
  text: Nullable(Type.String({ description: 'The output of the model, or the answer of the tool.' })),
  calls: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), arguments: Type.String() })),
  reason: Nullable(Type.String()),
  finishReason: FinishReasonSchema,
  providerMessage: ProviderMessageSchema,
  tries: Type.Integer(),
  usage: Type.Object({ inputTokens: Type.Integer(), outputTokens: Type.Integer() }),
  credits: Type.Integer(),
  decidedBy: Nullable(Type.String()),
  startedAt: Moment,
  endedAt: Nullable(Moment),
})

/** The columns of steps that are shown with a run. */
type Sum = Pick<Step, 'run_id' | 'input_tokens' | 'output_tokens' | 'credits' | 'kind' | 'status'> &
  Pick<Step, 'id' | 'name' | 'server_id' | 'input' | 'reason' | 'provider_message' | 'approvers'>

function toApproval({ id, name, server_id, input, approvers }: Sum): Static<typeof ApprovalSchema> {
  return {
    ...{ stepId: id, tool: name, serverId: server_id, arguments: input ?? '' },
    approvers: approvers ?? 'person',
  }
}

/** Runs as the API shows them. */
export async function toRuns(db: Db | Tx, runs: Run[]): Promise<Static<typeof RunSchema>[]> {
  if (runs.length === 0) return []
  const ids = runs.map(({ id }) => id)
  const steps = await db
    .selectFrom('step')
    .select([
      'run_id',
      'input_tokens',
      'output_tokens',
      'credits',
      'kind',
      'status',
      'id',
      'name',
      'server_id',
      'approvers',
      'reason',
      'provider_message',
    ])
    // Arguments may be long, so only waiting calls show them.
    .select(({ eb }) =>
      eb.case().when('kind', '=', 'approval').then(eb.ref('input')).else(null).end().as('input'),
    )
    .where('run_id', 'in', ids)
    .orderBy('seq')
    .execute()
  const stepsOf = Map.groupBy(steps as Sum[], ({ run_id }) => run_id)
  return runs.map((run) => toRun(run, stepsOf.get(run.id) ?? []))
}

/** A run as the API shows it. */
export async function showRun(db: Db | Tx, run: Run): Promise<Static<typeof RunSchema>> {
  const [wire] = await toRuns(db, [run])
  return wire as NonNullable<typeof wire>
}

/** A run without steps, as the API shows it. */
export function showNewRun(run: Run): Static<typeof RunSchema> {
  return toRun(run, [])
}

function toRun(run: Run, steps: Sum[]): Static<typeof RunSchema> {
  const sum = (of: 'input_tokens' | 'output_tokens' | 'credits') =>
    steps.reduce((total, step) => total + step[of], 0)
  const isAsked = ({ kind, status }: Sum) => kind === 'approval' && status === 'started'
  const approvals = run.status === 'waiting' ? steps.filter(isAsked).map(toApproval) : []
  const failure = errorOf(run)
  const last = steps.findLast(({ reason }) => reason !== null && reason === run.error_reason)
  return {
    id: run.id,
    agentId: run.agent_id,
    agentVersion: run.agent_version,
    conversationId: run.conversation_id,
    status: run.status,
    input: run.input,
    fileIds: JSON.parse(run.file_ids),
    fileNotes: notesOf(run),
    metadata: JSON.parse(run.metadata),
    output: run.output,
    finishReason: run.finish_reason,
    error: failure && {
      ...failure,
      details: { ...failure.details, providerMessage: last?.provider_message ?? null },
    },
    approval: approvals[0] ?? null,
    approvals,
    steps: steps.length,
    usage: { inputTokens: sum('input_tokens'), outputTokens: sum('output_tokens') },
    credits: sum('credits'),
    createdBy: run.owner_id,
    createdAt: toIso(run.created_at),
    startedAt: toIsoOrNull(run.started_at),
    endedAt: toIsoOrNull(run.ended_at),
    durationMs: hasEnded(run) ? durationOf(run) : null,
  }
}

/** Runs in the live stream, without input and output, which may be long. */
export const runView = rowView(
  'run',
  async (rows, _now, db) => (await toRuns(db, rows)).map(withoutTexts),
  ({ owner_id }) => owner_id,
)

function withoutTexts({ approvals, ...run }: Awaited<ReturnType<typeof toRuns>>[number]) {
  const { input: _input, output: _output, metadata: _metadata, ...shown } = run
  const asked = approvals.map(({ arguments: _arguments, ...one }) => one)
  return { ...shown, approval: asked[0] ?? null, approvals: asked }
}

export function toStep(step: Step): Static<typeof StepSchema> {
  const isModel = step.kind === 'model'
  const answer = isModel && step.output !== null ? answerOf(step) : undefined
  return {
    id: step.id,
    seq: step.seq,
    kind: step.kind,
    status: step.status,
    name: step.name,
    serverId: step.server_id,
    callId: step.call_id,
    arguments: step.input,
    text: isModel ? (answer?.text ?? null) : step.output,
    calls: answer?.calls ?? [],
    reason: step.reason,
    finishReason: step.finish_reason,
    providerMessage: step.provider_message,
    tries: step.tries,
    usage: { inputTokens: step.input_tokens, outputTokens: step.output_tokens },
    credits: step.credits,
    decidedBy: step.decided_by,
    startedAt: toIso(step.started_at),
    endedAt: toIsoOrNull(step.ended_at),
  }
}

/**
 * A run that the requester may use: its own, or with `runs:all` any in the organization.
 * @throws ApiError INVALID_UUID, ENTITY_NOT_FOUND
 */
export async function getRun(db: Db | Tx, requester: Requester, text: string): Promise<Run> {
  const row = await getOwned(db, 'run', text, requester.organizationId)
  if (!mayUse(requester, row.owner_id, 'runs:all')) throw notFound('id', row.id)
  return row
}
