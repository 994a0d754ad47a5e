import { MINUTE, type Millis, SECOND, toIso } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'
import { prepared } from '../../db/engine/prepared.ts'
import { notFound } from '../../db/owned-row.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { IdSchema, Moment, NameSchema, strict } from '../../http/schema/validation.ts'
import type { KnowledgePort } from '../deps.ts'
import { EXTRACTIVE } from '../models/extractive.ts'
import type { Models } from '../models/model.ts'
import type { ToolChoice, ToolSource } from '../tools/tool.ts'

export type Agent = Tables['agent']

const LONGEST_RUN: Millis = 60 * MINUTE
/** Tools of an agent, and knowledge bases that it searches. */
const MOST_TOOLS = 64
const MOST_KNOWLEDGE_BASES = 20

/** What an administrator says of an agent. */
export const Fields = {
  name: NameSchema,
  instructions: Type.String({
    maxLength: 16_384,
    description: 'What the model is told before everything else.',
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
      repeatable: Type.Optional(
        Type.Boolean({
          default: false,
          description:
            'Whether a call whose outcome nobody knows may be made once more, where the tool says of itself that it may.',
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
    description: 'Calls of the model and of tools in a run.',
  }),
  maxOutputTokens: Type.Integer({ minimum: 1, maximum: 128_000, default: 2_048 }),
  timeoutMs: Type.Integer({
    minimum: SECOND,
    maximum: LONGEST_RUN,
    default: 10 * MINUTE,
    description: 'How long a run takes at most, beside the time for which it waits for a person.',
  }),
}

/** What a version of an agent is. */
export interface Definition {
  instructions: string
  model: string
  knowledgeBaseIds: Id<'knowledgeBase'>[]
  tools: ToolChoice[]
  maxSteps: number
  maxOutputTokens: number
  timeoutMs: Millis
}

/** What is said of it in a request. */
export type Said = { [Name in keyof Definition]?: Static<(typeof Fields)[Name]> | undefined }

const STANDARD: Definition = {
  instructions: '',
  model: EXTRACTIVE,
  knowledgeBaseIds: [],
  tools: [],
  maxSteps: 12,
  maxOutputTokens: 2_048,
  timeoutMs: 10 * MINUTE,
}

/** The definition that follows from what is said, and from what it was before. */
export function define(said: Said, before: Definition = STANDARD): Definition {
  const tools = said.tools?.map(({ approval = 'always', repeatable = false, required = false, ...tool }) => ({
    ...tool,
    ...{ approval, repeatable, required },
  }))
  return {
    instructions: said.instructions ?? before.instructions,
    model: said.model ?? before.model,
    knowledgeBaseIds: [...new Set(said.knowledgeBaseIds ?? before.knowledgeBaseIds)],
    tools: tools ?? before.tools,
    maxSteps: said.maxSteps ?? before.maxSteps,
    maxOutputTokens: said.maxOutputTokens ?? before.maxOutputTokens,
    timeoutMs: said.timeoutMs ?? before.timeoutMs,
  }
}

export interface Checks {
  models: Models
  knowledge: Pick<KnowledgePort, 'owned'>
  toolSource: Pick<ToolSource, 'check'>
}

/**
 * Whether an organization may have an agent that is so: its model is there, and everything that it names is its own.
 * @throws ApiError VALIDATION_FAILED, ENTITY_NOT_FOUND
 */
export async function checkDefinition(
  db: Db | Tx,
  { models, knowledge, toolSource }: Checks,
  organizationId: Id<'organization'>,
  { model, knowledgeBaseIds, tools }: Definition,
): Promise<void> {
  if (!models.has(model))
    throw new ApiError('VALIDATION_FAILED', { field: 'model', value: model, reason: 'unknown_model' })
  const owned = new Set(await knowledge.owned(db, organizationId, knowledgeBaseIds))
  const foreign = knowledgeBaseIds.findIndex((id) => !owned.has(id))
  if (foreign >= 0) throw notFound(`knowledgeBaseIds.${foreign}`, String(knowledgeBaseIds[foreign]))
  await toolSource.check(db, organizationId, tools)
}

/** @throws Error where there is no such version, which nothing removes while a run needs it */
export async function readDefinition(
  db: Db | Tx,
  agentId: Id<'agent'>,
  version: number,
): Promise<Definition> {
  const [row] = await selectDefinition(db, { agentId, version })
  if (row === undefined) throw new Error(`${agentId} has no version ${version}`)
  return JSON.parse(row.definition) as Definition
}

const selectDefinition = prepared<{ agentId: Id<'agent'>; version: number }>()((db, value) =>
  db
    .selectFrom('agent_version')
    .select('definition')
    .where('agent_id', '=', value('agentId'))
    .where('version', '=', value('version')),
)

/** A version as it is shown. */
export const DefinitionMembers = {
  instructions: Type.String(),
  model: Type.String(),
  knowledgeBaseIds: Type.Array(Type.String()),
  tools: Type.Array(
    Type.Object({
      serverId: Type.String(),
      name: Type.String(),
      approval: Type.String({ enum: ['always', 'never'] }),
      repeatable: Type.Boolean(),
      required: Type.Boolean(),
    }),
  ),
  maxSteps: Type.Integer(),
  maxOutputTokens: Type.Integer(),
  timeoutMs: Type.Integer(),
}

export const AgentSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  version: Type.Integer({
    description: 'Grows with each change; a run keeps the version that it began with.',
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
