import {
  MODEL_PARAMETERS,
  type ModelParameter,
  type ModelParameters,
  PARAMETER_NAMES,
} from '../../config/model-parameters.ts'
import { MINUTE, type Millis, SECOND, toIso } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'
import { prepared } from '../../db/engine/prepared.ts'
import { notFound } from '../../db/owned-row.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { IdSchema, Moment, NameSchema, Nullable, strict } from '../../http/schema/validation.ts'
import type { KnowledgePort } from '../deps.ts'
import { EXTRACTIVE } from '../models/extractive.ts'
import type { Models } from '../models/model.ts'
import { APPROVERS, type Approvers, type ToolChoice, type ToolSource } from '../tools/tool.ts'

export type Agent = Tables['agent']

const LONGEST_RUN: Millis = 60 * MINUTE
/** Most tools of an agent, and knowledge bases that it searches. */
const MOST_TOOLS = 64
const MOST_KNOWLEDGE_BASES = 20

function parameterSchema(name: ModelParameter) {
  const { bound } = MODEL_PARAMETERS[name]
  if (bound.kind === 'name') return Type.Optional(Type.String({ enum: [...bound.names] }))
  const range = { minimum: bound.least, maximum: bound.most }
  return Type.Optional('isWhole' in bound ? Type.Integer(range) : Type.Number(range))
}

const ParametersSchema = Type.Unsafe<ModelParameters>(
  strict(Object.fromEntries(PARAMETER_NAMES.map((name) => [name, parameterSchema(name)])), {
    description:
      'Parameters of the model’s requests; they override those that the operator set for the model.',
  }),
)

/** The members of an agent in requests. */
export const Fields = {
  name: NameSchema,
  instructions: Type.String({
    maxLength: 16_384,
    description: 'Text that the model reads first in each of its calls.',
  }),
  model: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'A name of `GET /v1/models`.',
    examples: [EXTRACTIVE],
  }),
  knowledgeBaseIds: Type.Array(IdSchema('knowledgeBase'), { maxItems: MOST_KNOWLEDGE_BASES }),
  tools: Type.Array(
    strict({
      serverId: IdSchema('mcpServer'),
      name: Type.String({ minLength: 1, maxLength: 128 }),
      approval: Type.Optional(
        Type.Unsafe<'always' | 'never'>(Type.String({ enum: ['always', 'never'], default: 'always' })),
      ),
      approvers: Type.Optional(
        Type.Unsafe<Approvers>(
          Type.String({
            enum: APPROVERS,
            default: 'person',
            description:
              'The deciders of a call: `person`, a signed-in person who may use the run; `administrator`, a signed-in administrator; `key`, also an API key that may use the run, even the one that started it.',
          }),
        ),
      ),
      repeatable: Type.Optional(
        Type.Boolean({
          default: false,
          description:
            'Whether a call with an unknown outcome may be repeated, if the tool declares that it may.',
        }),
      ),
      parallel: Type.Optional(
        Type.Boolean({
          default: false,
          description:
            'Whether calls of the tool may run in parallel with others of the same answer. Set it only for a tool whose calls are harmless in any order. Calls that a person decides about (`approval`) always run one after the other.',
        }),
      ),
      required: Type.Optional(
        Type.Boolean({ default: false, description: 'Whether a run fails when the server is unavailable.' }),
      ),
    }),
    { maxItems: MOST_TOOLS },
  ),
  maxSteps: Type.Integer({
    minimum: 1,
    maximum: 50,
    default: 12,
    description: 'Calls of the model and of tools in a run; calls of a model that failed do not count.',
  }),
  maxOutputTokens: Type.Integer({ minimum: 1, maximum: 128_000, default: 2_048 }),
  timeoutMs: Type.Integer({
    minimum: SECOND,
    maximum: LONGEST_RUN,
    default: 10 * MINUTE,
    description: 'The longest duration of a run, without its waits for persons.',
  }),
  onLength: Type.Unsafe<Definition['onLength']>(
    Type.String({
      enum: ['keep', 'fail'],
      description:
        'The effect of an answer that was cut at `maxOutputTokens`: `keep`, the default, ends the run with the cut answer, `fail` fails it. Tool calls in such an answer are never made.',
    }),
  ),
  onModelFailure: Type.Unsafe<Definition['onModelFailure']>(
    Type.String({
      enum: ['fail', 'retry', 'fallback'],
      description:
        'The effect of a failed call of the model that may have been charged: `fail`, the default, fails the run, `retry` repeats it twice, `fallback` uses `fallbackModel`. A call that cannot have been charged is repeated up to 10 times in a row, twice with `fallback`.',
    }),
  ),
  fallbackModel: Nullable(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'A name of `GET /v1/models`, for `onModelFailure: fallback`.',
    }),
  ),
  parameters: ParametersSchema,
}

/** The contents of an agent's version. */
export interface Definition {
  instructions: string
  model: string
  knowledgeBaseIds: Id<'knowledgeBase'>[]
  tools: ToolChoice[]
  maxSteps: number
  maxOutputTokens: number
  timeoutMs: Millis
  onLength: 'keep' | 'fail'
  onModelFailure: 'fail' | 'retry' | 'fallback'
  fallbackModel: string | null
  parameters: ModelParameters
}

/** The members of a definition that a request may set. */
type DefinitionInput = { [Name in keyof Definition]?: Static<(typeof Fields)[Name]> | undefined }

const DEFAULTS: Definition = {
  instructions: '',
  model: EXTRACTIVE,
  knowledgeBaseIds: [],
  tools: [],
  maxSteps: 12,
  maxOutputTokens: 2_048,
  timeoutMs: 10 * MINUTE,
  onLength: 'keep',
  onModelFailure: 'fail',
  fallbackModel: null,
  parameters: {},
}

/** The definition after a request; omitted members keep their values. */
export function define(input: DefinitionInput, before: Definition = DEFAULTS): Definition {
  const tools = input.tools?.map(
    ({ approval = 'always', repeatable = false, required = false, ...tool }): ToolChoice => ({
      ...{ approvers: 'person', parallel: false },
      ...tool,
      ...{ approval, repeatable, required },
    }),
  )
  return {
    instructions: input.instructions ?? before.instructions,
    model: input.model ?? before.model,
    knowledgeBaseIds: [...new Set(input.knowledgeBaseIds ?? before.knowledgeBaseIds)],
    tools: tools ?? before.tools,
    maxSteps: input.maxSteps ?? before.maxSteps,
    maxOutputTokens: input.maxOutputTokens ?? before.maxOutputTokens,
    timeoutMs: input.timeoutMs ?? before.timeoutMs,
    onLength: input.onLength ?? before.onLength,
    onModelFailure: input.onModelFailure ?? before.onModelFailure,
    fallbackModel: input.fallbackModel === undefined ? before.fallbackModel : input.fallbackModel,
    parameters: input.parameters ?? before.parameters,
  }
}

export interface Checks {
  models: Models
  knowledge: Pick<KnowledgePort, 'owned'>
  toolSource: Pick<ToolSource, 'check'>
}

/**
 * Checks that the model of a definition exists, and that the organization owns every resource in it.
 * @throws ApiError VALIDATION_FAILED, ENTITY_NOT_FOUND
 */
export async function checkDefinition(
  db: Db | Tx,
  { models, knowledge, toolSource }: Checks,
  organizationId: Id<'organization'>,
  { model, knowledgeBaseIds, tools, onModelFailure, fallbackModel }: Definition,
): Promise<void> {
  if (!models.has(model))
    throw new ApiError('VALIDATION_FAILED', { field: 'model', value: model, reason: 'unknown_model' })
  if (fallbackModel !== null && !models.has(fallbackModel))
    throw new ApiError('VALIDATION_FAILED', {
      ...{ field: 'fallbackModel', value: fallbackModel, reason: 'unknown_model' },
    })
  if (onModelFailure === 'fallback' && (fallbackModel === null || fallbackModel === model))
    throw new ApiError('VALIDATION_FAILED', {
      ...{ field: 'fallbackModel', reason: fallbackModel === null ? 'required' : 'same_model' },
    })
  const owned = new Set(await knowledge.owned(db, organizationId, knowledgeBaseIds))
  const foreign = knowledgeBaseIds.findIndex((id) => !owned.has(id))
  if (foreign >= 0) throw notFound(`knowledgeBaseIds.${foreign}`, String(knowledgeBaseIds[foreign]))
  await toolSource.check(db, organizationId, tools)
}

/** @throws Error for a missing version; versions that a run needs are never deleted */
export async function readDefinition(
  db: Db | Tx,
  agentId: Id<'agent'>,
  version: number,
): Promise<Definition> {
  const [row] = await selectDefinition(db, { agentId, version })
  if (row === undefined) throw new Error(`${agentId} has no version ${version}`)
  return parseDefinition(row.definition)
}

/** Parses the JSON of a row, which `define` has completed. */
export function parseDefinition(text: string): Definition {
  return JSON.parse(text) as Definition
}

const selectDefinition = prepared<{ agentId: Id<'agent'>; version: number }>()((db, value) =>
  db
    .selectFrom('agent_version')
    .select('definition')
    .where('agent_id', '=', value('agentId'))
    .where('version', '=', value('version')),
)

/** A version as the API shows it. */
export const DefinitionMembers = {
  instructions: Type.String(),
  model: Type.String(),
  knowledgeBaseIds: Type.Array(Type.String()),
  tools: Type.Array(
    Type.Object({
      serverId: Type.String(),
      name: Type.String(),
      approval: Type.String({ enum: ['always', 'never'] }),
      approvers: Type.String({ enum: APPROVERS }),
      repeatable: Type.Boolean(),
      parallel: Type.Boolean(),
      required: Type.Boolean(),
    }),
  ),
  maxSteps: Type.Integer(),
  maxOutputTokens: Type.Integer(),
  timeoutMs: Type.Integer(),
  onLength: Type.String({ enum: ['keep', 'fail'] }),
  onModelFailure: Type.String({ enum: ['fail', 'retry', 'fallback'] }),
  fallbackModel: Nullable(Type.String()),
  parameters: ParametersSchema,
}

export const AgentSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  version: Type.Integer({
    description:
      'Grows with each change; a run keeps the version that the agent had when the run was accepted.',
  }),
  ...DefinitionMembers,
  createdBy: Type.String(),
  createdAt: Moment,
  updatedAt: Moment,
})

export function toWire(row: Agent, definition: Definition): Static<typeof AgentSchema> {
  return {
    id: row.id,
    name: row.name,
    version: row.version,
    ...definition,
    createdBy: row.created_by,
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
  }
}
