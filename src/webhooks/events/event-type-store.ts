import { sql } from 'kysely'
import { createBatchedLookup } from '../../core/batched-lookup.ts'
import { ApiError, type Issue } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import type { Database, Db, Tx } from '../../db/database.ts'
import { preparedForList } from '../../db/engine/lists.ts'
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

/** Finds the text of a custom type's schema; undefined where the organization has no such type. */
type FindSchema = (organizationId: Id<'organization'>, type: string) => Promise<string | undefined>

type SchemaRow = Pick<Tables['event_type'], 'organization_id' | 'name' | 'schema'>

const selectSchemas = preparedForList<Omit<SchemaRow, 'schema'>, SchemaRow>(
  { organization_id: 'text', name: 'text' },
  (db, list) =>
    sql<SchemaRow>`
      select organization_id, name, schema from event_type where (organization_id, name) in (${list})`.compile(
      db,
    ),
)

/** A key has no space in its first part. */
const keyOf = ({ organization_id, name }: Omit<SchemaRow, 'schema'>) => `${organization_id} ${name}`

function pairOf(key: string): Omit<SchemaRow, 'schema'> {
  const space = key.indexOf(' ')
  return { organization_id: key.slice(0, space) as Id<'organization'>, name: key.slice(space + 1) }
}

/** Concurrent look-ups share a query that begins after each of them, so that it finds every change that was committed before. */
export function createSchemaLookup(database: Pick<Database, 'lookups'>): FindSchema {
  const find = createBatchedLookup(async (keys: string[]) => {
    const rows = await selectSchemas(database.lookups, keys.map(pairOf))
    return new Map(rows.map((row) => [keyOf(row), row.schema]))
  })
  return (organization_id, name) => find(keyOf({ organization_id, name }))
}

/**
 * Reads the types of one organization's events, each once: a batch has many events of few types. Custom schemas stay
 * texts.
 */
export function publishableTypes(
  findSchema: FindSchema,
  organizationId: Id<'organization'>,
): (type: string) => Promise<PublishableType | undefined> {
  const known = new Map<string, Promise<PublishableType | undefined>>()
  async function find(type: string): Promise<PublishableType | undefined> {
    const builtIn = BUILT_IN.get(type)
    if (builtIn !== undefined) return builtIn
    const schema = await findSchema(organizationId, type)
    return schema === undefined ? undefined : { owner: organizationId, isOwnFact: false, schema }
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
