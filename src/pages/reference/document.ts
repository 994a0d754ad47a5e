/** What of an OpenAPI document the reference reads. */
export interface Document {
  info: { version: string }
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: { schemas: Record<string, Schema> }
}

export interface Operation {
  operationId: string
  tags?: string[]
  summary?: string
  description?: string
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema?: Schema }[]
  requestBody?: { content: Record<string, { schema?: Schema }> }
  responses?: Record<string, { description?: string; content?: Record<string, { schema?: Schema }> }>
  'x-path'?: string
  'x-access'?: string
  'x-module'?: string
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
  examples?: unknown[]
  default?: unknown
  format?: string
  additionalProperties?: unknown
}

/** An operation with where it stands. */
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
      const placed = { ...operation, method: method.toUpperCase(), path: operation['x-path'] ?? path }
      found.set(tag, [...(found.get(tag) ?? []), placed])
    }
  }
  return found
}

/** `API keys` → `api-keys`: how a tag stands in an address. */
export function slugOf(tag: string): string {
  return tag.toLowerCase().replace(/[^a-z0-9]+/g, '-')
}

/** The schema itself, where another one is named. */
export function resolve(schema: Schema | undefined, { components }: Document): Schema {
  const name = schema?.$ref?.split('/').at(-1)
  return name === undefined ? (schema ?? {}) : { ...components.schemas[name], ...without(schema) }
}

function without({ $ref: _named, ...rest }: Schema = {}): Schema {
  return rest
}

/** What stands in a schema, in a word or a few. */
export function typeOf(schema: Schema): string {
  const { $ref, type, items, enum: values, const: fixed, anyOf, oneOf } = schema
  if ($ref !== undefined) return $ref.split('/').at(-1) ?? ''
  if (fixed !== undefined) return JSON.stringify(fixed)
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ')
  const several = anyOf ?? oneOf
  if (several !== undefined) return [...new Set(several.map(typeOf))].join(' | ')
  if (items !== undefined) return `${typeOf(items)}[]`
  return [type ?? 'any'].flat().join(' | ')
}

/** A value that a schema takes, for an example: its own one, or the simplest. */
export function sampleOf(given: Schema | undefined, document: Document, depth = 0): unknown {
  const schema = resolve(given, document)
  const { examples, default: usual, const: fixed, enum: values, anyOf, oneOf, items, properties } = schema
  const own = examples?.[0] ?? fixed ?? usual ?? values?.[0]
  if (own !== undefined) return own
  const several = anyOf ?? oneOf
  if (several !== undefined) return sampleOf(several[0], document, depth + 1)
  const [type] = [schema.type ?? 'object'].flat()
  if (type === 'array') return depth > 3 ? [] : [sampleOf(items, document, depth + 1)]
  if (type === 'object') {
    const wanted = Object.entries(properties ?? {}).filter(([name]) => schema.required?.includes(name))
    if (depth > 3) return {}
    return Object.fromEntries(wanted.map(([name, one]) => [name, sampleOf(one, document, depth + 1)]))
  }
  if (type === 'string') return schema.format === 'date-time' ? '2026-01-01T00:00:00.000Z' : '…'
  return type === 'boolean' ? true : type === 'null' ? null : 1
}
