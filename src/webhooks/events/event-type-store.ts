import { ApiError, type Issue } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'
import { prepared } from '../../db/engine/prepared.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { isDeeper, issuesOf } from '../../http/schema/validation.ts'
import { EVENT_TYPES } from './event-types.ts'
import { problemsOf, type Schema } from './validators.ts'

/** An event type for publishers and readers. */
export interface KnownType {
  type: string
  /** null: built in. */
  owner: Id<'organization'> | null
  description: string
  schema: object
  example: object
  /** Only the platform publishes it. */
  isOwnFact: boolean
  /** null: built in. */
  createdAt: number | null
}

/** A schema as plain JSON, without the builder's symbols. */
function plain(schema: object): object {
  return JSON.parse(JSON.stringify(schema)) as object
}

const BUILT_IN = new Map<string, KnownType>(
  EVENT_TYPES.map((entry) => [
    entry.type,
    { ...entry, schema: plain(entry.schema), owner: null, createdAt: null },
  ]),
)

export function builtInTypes(): KnownType[] {
  return [...BUILT_IN.values()]
}

/**
 * An event type that an organization may use: a built-in one, or its own.
 * @returns undefined for any other name
 */
export async function findEventType(
  db: Db | Tx,
  organizationId: Id<'organization'>,
  type: string,
): Promise<KnownType | undefined> {
  const builtIn = BUILT_IN.get(type)
  if (builtIn !== undefined) return builtIn
  const row = await db
    .selectFrom('event_type')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('name', '=', type)
    .executeTakeFirst()
  return row && toKnownType(row)
}

/** The members of a type that publishing reads. */
interface PublishableType extends Pick<KnownType, 'owner' | 'isOwnFact'> {
  schema: Schema
}

const selectSchema = prepared<{ organizationId: Id<'organization'>; type: string }>()((db, value) =>
  db
    .selectFrom('event_type')
    .select('schema')
    .where('organization_id', '=', value('organizationId'))
    .where('name', '=', value('type')),
)

/**
 * Reads the types of one organization's events, each once: a batch has many events of few types. Custom schemas stay
 * texts.
 */
export function publishableTypes(
  db: Db,
  organizationId: Id<'organization'>,
): (type: string) => Promise<PublishableType | undefined> {
  const known = new Map<string, Promise<PublishableType | undefined>>()
  async function find(type: string): Promise<PublishableType | undefined> {
    const builtIn = BUILT_IN.get(type)
    if (builtIn !== undefined) return builtIn
    const [row] = await selectSchema(db, { organizationId, type })
    return row && { owner: organizationId, isOwnFact: false, schema: row.schema }
  }
  return (type) => {
    const found = known.get(type) ?? find(type)
    known.set(type, found)
    return found
  }
}

/** A custom type, from its row. */
export function toKnownType(row: Tables['event_type']): KnownType {
  return {
    type: row.name,
    owner: row.organization_id,
    description: row.description,
    schema: JSON.parse(row.schema) as object,
    example: JSON.parse(row.example) as object,
    isOwnFact: false,
    createdAt: row.created_at,
  }
}

/** Most levels of nested data in an event: parser and serializer recurse once per level. */
export const DEEPEST_DATA = 100

/** @throws ApiError VALIDATION_FAILED where the value of a field is nested too deeply */
export function refuseDeep(value: unknown, field: string): void {
  if (isDeeper(value, DEEPEST_DATA)) throw new ApiError('VALIDATION_FAILED', { field, reason: 'too_deep' })
}

/**
 * Checks the data of an event against its type's schema.
 * @param bytes the size of the data
 * @throws ApiError with the code of the first problem, its dotted field below `prefix`, and all of them for small data
 */
export function checkData(
  known: Pick<PublishableType, 'owner' | 'schema'>,
  data: object,
  bytes: number,
  prefix = 'data',
): void {
  const problems = problemsOf(known.owner ?? '', known.schema, data, bytes)
  if (problems.length === 0) return
  const issues = issuesOf(problems, '').map(
    (issue): Issue => ({ ...issue, field: [prefix, issue.field].filter((part) => part !== '').join('.') }),
  )
  const [first = { code: 'VALIDATION_FAILED', field: prefix } as const] = issues
  throw new ApiError(first.code, {
    field: first.field,
    ...('value' in first ? { value: first.value } : {}),
    issues,
  })
}
