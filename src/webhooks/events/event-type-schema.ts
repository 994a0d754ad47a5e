import { ApiError } from '../../core/errors.ts'

/**
 * The keywords that a custom schema may use. A schema is a program that strangers write and this process runs:
 * `pattern` (backtracking), `uniqueItems` (quadratic), `$ref` (recursion) and `$id` (a name that all organizations
 * share) are excluded, because one organization could stop all others with them.
 */
const KEYWORDS = new Set([
  'title',
  'description',
  'examples',
  'default',
  'deprecated',
  'type',
  'enum',
  'const',
  'properties',
  'required',
  'additionalProperties',
  'minProperties',
  'maxProperties',
  'items',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'format',
  'anyOf',
  'oneOf',
  'allOf',
  'not',
])

const DEEPEST = 10
/** Most alternatives in a whole schema: each may be tried for every item of the data. */
const MOST_BRANCHES = 32
export const LONGEST_ENUM = 200
/** Largest schema, in bytes of JSON. */
export const LARGEST_SCHEMA = 16 * 1024

/**
 * Checks a schema before it is stored.
 * @throws ApiError VALIDATION_FAILED with the first unsupported member
 */
export function checkSchema(schema: object): void {
  if (JSON.stringify(schema).length > LARGEST_SCHEMA) throw refused('schema', 'too_large')
  walk(withoutDialect(schema), 'schema', 0, { branches: 0 })
}

/** The schema without `$schema`: the accepted keywords mean the same in every dialect. */
export function withoutDialect(schema: object): object {
  const { $schema, ...rest } = schema as { $schema?: unknown }
  if ($schema !== undefined && typeof $schema !== 'string') throw refused('schema.$schema', 'not_a_schema')
  return rest
}

/** Counters for the whole schema. */
interface Totals {
  branches: number
}

function walk(schema: unknown, path: string, depth: number, totals: Totals): void {
  if (typeof schema === 'boolean') return
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    throw refused(path, 'not_a_schema')
  if (depth > DEEPEST) throw refused(path, 'too_deep')
  for (const [keyword, value] of Object.entries(schema)) {
    const field = `${path}.${keyword}`
    if (!KEYWORDS.has(keyword)) throw refused(field, 'keyword_not_supported')
    if (keyword === 'enum' && Array.isArray(value) && value.length > LONGEST_ENUM)
      throw refused(field, 'too_long')
    if (keyword === 'properties') walkEach(value, field, depth, totals)
    if (keyword === 'additionalProperties' || keyword === 'items' || keyword === 'not')
      walk(value, field, depth + 1, totals)
    if (keyword === 'anyOf' || keyword === 'oneOf' || keyword === 'allOf')
      walkBranches(value, field, depth, totals)
  }
}

function walkEach(members: unknown, path: string, depth: number, totals: Totals): void {
  if (typeof members !== 'object' || members === null || Array.isArray(members))
    throw refused(path, 'not_a_schema')
  for (const [name, member] of Object.entries(members)) walk(member, `${path}.${name}`, depth + 1, totals)
}

function walkBranches(branches: unknown, path: string, depth: number, totals: Totals): void {
  if (!Array.isArray(branches) || branches.length === 0) throw refused(path, 'not_a_schema')
  totals.branches += branches.length
  if (totals.branches > MOST_BRANCHES) throw refused(path, 'too_many_branches')
  for (const [index, branch] of branches.entries()) walk(branch, `${path}.${index}`, depth + 1, totals)
}

function refused(field: string, reason: string): ApiError<'VALIDATION_FAILED'> {
  return new ApiError('VALIDATION_FAILED', { field: field.slice(0, 256), reason })
}
