import { Ajv, type ValidateFunction } from 'ajv'
import { ApiError, type Issue } from '../core/errors.ts'
import type { Id } from '../core/id.ts'
import type { Db, Tx } from '../db/database.ts'
import { issuesOf } from '../http/validation.ts'
import { withoutDialect } from './event-type-schema.ts'
import { EVENT_TYPES } from './event-types.ts'

/** An event type as publishing and its readers see it. */
export interface KnownType {
  type: string
  description: string
  schema: object
  example: object
  /** A fact that the platform alone publishes. */
  isOwnFact: boolean
  /** null: built in. */
  createdAt: number | null
}

/** A schema as JSON has it: without the marks that its builder leaves. */
function plain(schema: object): object {
  return JSON.parse(JSON.stringify(schema)) as object
}

const BUILT_IN = new Map<string, KnownType>(
  EVENT_TYPES.map((entry) => [entry.type, { ...entry, schema: plain(entry.schema), createdAt: null }]),
)

export function builtInTypes(): KnownType[] {
  return [...BUILT_IN.values()]
}

/** An event type that an organization may use: a built-in one, or its own. */
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
  return (
    row && {
      type: row.name,
      description: row.description,
      schema: JSON.parse(row.schema) as object,
      example: JSON.parse(row.example) as object,
      isOwnFact: false,
      createdAt: row.created_at,
    }
  )
}

const ajv = new Ajv({ allErrors: false, verbose: true, strict: false, logger: false })
for (const format of ['email', 'date-time', 'uri', 'uuid']) ajv.addFormat(format, true)

/** Compiled schemas by their text: a type cannot be changed, and organizations often share one. */
const compiled = new Map<string, ValidateFunction>()
const MOST_COMPILED = 1_000

function validatorOf(schema: object): ValidateFunction {
  const text = JSON.stringify(schema)
  const known = compiled.get(text)
  if (known !== undefined) return known
  if (compiled.size >= MOST_COMPILED) compiled.clear()
  // Ajv keeps what it compiles, by the object, unless told to let go.
  const compilable = withoutDialect(schema)
  const validate = ajv.compile(compilable)
  ajv.removeSchema(compilable)
  compiled.set(text, validate)
  return validate
}

const builtInValidators = new Map<string, ValidateFunction>()

/**
 * Checks the data of an event against its type's schema.
 * @throws ApiError VALIDATION_FAILED with the dotted field, below `prefix`
 */
export function checkData({ type, schema, createdAt }: KnownType, data: object, prefix = 'data'): void {
  let validate = createdAt === null ? builtInValidators.get(type) : undefined
  if (validate === undefined) {
    validate = validatorOf(schema)
    if (createdAt === null) builtInValidators.set(type, validate)
  }
  if (validate(data)) return
  const issues = issuesOf(validate.errors ?? [], '').map(
    (issue): Issue => ({
      ...issue,
      code: 'VALIDATION_FAILED',
      field: [prefix, issue.field].filter((part) => part !== '').join('.'),
    }),
  )
  const [first] = issues
  throw new ApiError('VALIDATION_FAILED', {
    field: first?.field ?? prefix,
    ...(first !== undefined && 'value' in first ? { value: first.value } : {}),
    issues,
  })
}
