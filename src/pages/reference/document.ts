/** The parts of an OpenAPI document that the reference reads. */
export interface Document {
  info: { version: string }
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: { schemas: Record<string, Schema> }
}

interface Operation {
  operationId: string
  tags?: string[]
  summary?: string
  description?: string
  /** Of the path and the query; the document refers to the header that operations share. */
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema?: Schema }[]
  requestBody?: { content: Record<string, { schema?: Schema }> }
  responses?: Record<string, { description?: string; content?: Record<string, { schema?: Schema }> }>
  'x-path'?: string
  'x-access'?: string
  'x-scope'?: string
  'x-module'?: string
  'x-idempotency-key'?: boolean
}

export interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  examples?: unknown[]
  default?: unknown
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  minProperties?: number
  additionalProperties?: unknown
}

/** An operation with its path and method. */
export interface Placed extends Operation {
  method: string
  path: string
}

/** Every operation by its tag, in the document's order. */
export function byTag({ paths }: Document): Map<string, Placed[]> {
  const found = new Map<string, Placed[]>()
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const tag = operation.tags?.[0] ?? 'Other'
      found.set(tag, [...(found.get(tag) ?? []), placed(operation, method.toUpperCase(), path)])
    }
  }
  return found
}

/** Renames the parameters of an operation whose path in the specification (`x-path`) names them differently. */
function placed(operation: Operation, method: string, documented: string): Placed {
  const path = operation['x-path'] ?? documented
  const [from, to] = [namesIn(documented), namesIn(path)]
  const own = (operation.parameters ?? []).filter((one) => one.in !== undefined)
  const parameters = own.map((one) =>
    one.in === 'path' ? { ...one, name: to[from.indexOf(one.name)] ?? one.name } : one,
  )
  return { ...operation, parameters, method, path }
}

function namesIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

/** `API keys` → `api-keys`: a tag in an address. */
export function slugOf(tag: string): string {
  return tag.toLowerCase().replace(/[^a-z0-9]+/g, '-')
}

/** The schema that a reference leads to, with the members of its `allOf`. */
export function resolve(given: Schema | undefined, document: Document): Schema {
  const { $ref, ...own } = given ?? {}
  const name = $ref?.split('/').at(-1)
  const schema = name === undefined ? own : { ...document.components.schemas[name], ...own }
  if (schema.allOf === undefined) return schema
  const { allOf, ...rest } = schema
  const parts = [...allOf.map((one) => resolve(one, document)), rest]
  return {
    ...rest,
    type: 'object',
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  }
}

/** The type of a schema in a few words: an enumeration by its values, an object by its name. */
export function typeOf(given: Schema, document: Document): string {
  const { type, items, enum: values, const: fixed, anyOf, oneOf, properties } = resolve(given, document)
  if (fixed !== undefined) return JSON.stringify(fixed)
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (properties !== undefined) return given.$ref?.split('/').at(-1) ?? 'object'
  const several = anyOf ?? oneOf
  if (several !== undefined) return [...new Set(several.map((one) => typeOf(one, document)))].join(' | ')
  if (type === 'array' && items !== undefined) {
    const item = typeOf(items, document)
    return item.includes(' | ') ? `(${item})[]` : `${item}[]`
  }
  return [type ?? 'any'].flat().join(' | ')
}

/** The only branch beside null, or the schema itself; a default stands outside of the branches. */
function beside(schema: Schema, document: Document): Schema {
  const [only, ...others] = (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== 'null')
  return only === undefined || others.length > 0 ? schema : { ...schema, ...resolve(only, document) }
}

/** The bounds and the default of a value; empty without either. */
export function boundsOf(given: Schema, document: Document): string {
  const schema = beside(resolve(given, document), document)
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, default: usual } = schema
  // Bytes of a file have no characters.
  if (schema.format === 'binary') return ''
  const said = [
    rangeOf(minimum, maximum, ''),
    rangeOf(minLength, maxLength, ' characters'),
    rangeOf(minItems, maxItems, ' items'),
    usual === undefined ? '' : `default ${JSON.stringify(usual)}`,
  ]
  return said.filter((one) => one !== '').join(', ')
}

function rangeOf(least: number | undefined, most: number | undefined, unit: string): string {
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`
  if (most !== undefined) return `at most ${most}${unit}`
  return least === undefined ? '' : `at least ${least}${unit}`
}

/** A member of a body, by its way through the objects and lists around it: `data[].id`. */
interface Member {
  name: string
  schema: Schema
  isOptional: boolean
}

/** Levels of members that are listed. */
const DEEPEST = 3

/** The members of an object, of the items of a list, and of the objects in them. */
export function membersOf(given: Schema, document: Document, way = '', depth = 0): Member[] {
  const schema = beside(resolve(given, document), document)
  if (schema.type === 'array' && schema.items !== undefined)
    return membersOf(schema.items, document, `${way}[]`, depth)
  if (depth >= DEEPEST) return []
  return Object.entries(schema.properties ?? {}).flatMap(([name, one]) => {
    const full = way === '' ? name : `${way}.${name}`
    const isOptional = schema.required?.includes(name) !== true
    return [{ name: full, schema: one, isOptional }, ...membersOf(one, document, full, depth + 1)]
  })
}
