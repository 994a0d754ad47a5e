import { ERROR_CODES } from '../../core/errors.ts'

/** The keywords of JSON Schema that this file reads. */
interface Schema {
  [keyword: string]: unknown
  $ref?: string
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: boolean | Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  type?: unknown
  enum?: unknown[]
}

interface Content {
  [type: string]: { schema?: Schema }
}

interface Operation {
  operationId?: string
  parameters?: { name: string; schema?: Schema }[]
  requestBody?: { content: Content }
  responses?: Record<string, { content?: Content }>
}

interface Document {
  paths?: object
  webhooks?: object
  components?: { schemas?: object }
}

const AT = '#/components/schemas/'
/** Distinguishes the answers of one operation. */
const OUTCOMES: Record<string, string> = { 200: 'Done', 201: 'Created', 202: 'Accepted' }
/** Name prefixes of operations in order of preference: the schema that is read gets the plain name. */
const ORDER = ['read', 'list', '']

/** Names of enums that several schemas share; any other enum is named after its member. */
const LISTS: Record<string, string> = {
  'administrator,member': 'Role',
  'webhooks,connections,files,knowledge,agents': 'Module',
  [String(ERROR_CODES)]: 'ErrorCode',
}

/** Keywords that describe one use of a schema and not its values. */
const NOTES = ['description', 'default', 'examples', 'deprecated']

/**
 * Moves each object schema, enum and union to `components.schemas`, named after its operation and member, so that
 * generators make readable types. Equal schemas share the name of the first.
 */
export function nameSchemas<T extends Document>(document: T): T {
  const schemas: Record<string, unknown> = { ...document.components?.schemas }
  const names = new Map<string, string>()

  function take(schema: Schema, candidates: string[], isBranch = false): Schema {
    const named = inside(schema, candidates[0] ?? '')
    if (isObjectSchema(named)) return { $ref: AT + nameOf(named, candidates) }
    if (!isUnion(named, isBranch)) return named
    const notes = Object.entries(named).filter(([keyword]) => NOTES.includes(keyword))
    const own = Object.fromEntries(Object.entries(named).filter(([keyword]) => !NOTES.includes(keyword)))
    const shared = LISTS[String(schema.enum)]
    const reference = { $ref: AT + nameOf(own, shared === undefined ? candidates : [shared]) }
    return { ...Object.fromEntries(notes), ...reference }
  }

  /** The component name of a schema. */
  function nameOf(schema: Schema, candidates: string[]): string {
    const print = JSON.stringify(schema)
    const name = names.get(print) ?? freeName(candidates)
    names.set(print, name)
    schemas[name] = schema
    return name
  }

  function known(schema: Schema): Schema {
    const name = names.get(JSON.stringify(schema))
    return name === undefined ? schema : { $ref: `${AT}${name}` }
  }

  function freeName(candidates: string[]): string {
    const last = candidates.at(-1) ?? ''
    const numbered = Array.from({ length: 100 }, (_, at) => `${last}${at + 2}`)
    return [...candidates, ...numbered].find((name) => !Object.hasOwn(schemas, name)) ?? last
  }

  /** The same schema, with inner schemas named after it. */
  function inside(schema: Schema, name: string): Schema {
    const copy: Schema = { ...schema }
    if (schema.properties !== undefined)
      copy.properties = Object.fromEntries(
        Object.entries(schema.properties).map(([member, inner]) => [
          member,
          take(inner, memberNames(name, member)),
        ]),
      )
    if (schema.items !== undefined) copy.items = take(schema.items, [singular(name), `${name}Item`])
    const { additionalProperties: others } = schema
    if (typeof others === 'object') copy.additionalProperties = take(others, [singular(name), `${name}Value`])
    for (const keyword of ['anyOf', 'oneOf'] as const)
      if (schema[keyword] !== undefined) copy[keyword] = branches(schema[keyword], name)
    // A part of `allOf` becomes a component only where another place has named it.
    if (schema.allOf !== undefined) copy.allOf = schema.allOf.map((one) => known(inside(one, name)))
    return copy
  }

  /** A single branch beside null gets the member's name; several branches get names of their own. */
  function branches(all: Schema[], name: string): Schema[] {
    const isSeveral = all.filter((one) => one.type !== 'null').length > 1
    return all.map((one) => take(one, isSeveral ? [name + branchEnd(one)] : [name], true))
  }

  for (const [name, schema] of Object.entries(schemas)) schemas[name] = inside(schema as Schema, name)
  const operations = Object.values(document.paths ?? {}).flatMap((one) => Object.values(one) as Operation[])
  for (const prefix of ORDER) {
    for (const operation of operations) {
      const name = operation.operationId ?? ''
      if (ORDER.find((one) => name.startsWith(one)) !== prefix) continue
      for (const [status, { content }] of Object.entries(operation.responses ?? {}))
        for (const media of Object.values(content ?? {}))
          if (media.schema !== undefined) media.schema = answer(name, media.schema, status)
      // Each member of a form becomes an argument: generators lose the type of a named form.
      for (const media of Object.values(operation.requestBody?.content ?? {}))
        if (media.schema !== undefined) media.schema = take(media.schema, [`${pascal(name)}Body`])
      for (const parameter of operation.parameters ?? [])
        if (parameter.schema !== undefined)
          parameter.schema = take(parameter.schema, [pascal(name) + pascal(parameter.name)])
    }
  }
  for (const [type, { post }] of Object.entries(document.webhooks ?? {}) as [string, { post: Operation }][])
    for (const media of Object.values(post.requestBody?.content ?? {}))
      if (media.schema !== undefined) media.schema = take(media.schema, [`${pascal(type)}Event`])

  function answer(operationId: string, schema: Schema, status: string): Schema {
    const [, verb = '', noun = ''] = /^([a-z]+)(.*)$/.exec(operationId) ?? []
    // A title is the name.
    if (typeof schema.title === 'string') return take(schema, [schema.title])
    const fallbacks = ['Answer', OUTCOMES[status] ?? ''].map((end) => pascal(operationId) + end)
    if (verb === 'read') return take(schema, [noun, ...fallbacks])
    if (verb === 'create') return take(schema, [`Created${singular(noun)}`, ...fallbacks])
    const items = schema.properties?.data?.items
    if (verb !== 'list' || items === undefined) return take(schema, fallbacks)
    const one = singular(noun)
    const item = take(items, [one, `${one}Item`])
    const data = { ...schema.properties?.data, items: item }
    return take({ ...schema, properties: { ...schema.properties, data } }, [`${one}Page`, ...fallbacks])
  }

  return { ...document, components: { ...document.components, schemas } }
}

/** A member's name is prefixed with its owner's; a repeated end (`body` of `…Body`) is not repeated. */
function memberNames(owner: string, member: string): string[] {
  const [, last = ''] = /([A-Z][a-z]+)$/.exec(owner) ?? []
  const own = pascal(member)
  if (own === last) return [`${owner}Content`]
  return own.startsWith(last) && last !== ''
    ? [owner + own.slice(last.length), `${owner}Content`]
    : [owner + own]
}

/** The suffix that distinguishes the branches of a union. */
function branchEnd({ type, enum: values, items }: Schema): string {
  if (values !== undefined) return 'Choice'
  if (items !== undefined) return 'List'
  return typeof type === 'string' ? pascal(type) : 'Shape'
}

/** Whether a schema is an enum or a union of several beside null; within a union also any list or map. */
function isUnion({ enum: values, anyOf, oneOf, type, items, $ref }: Schema, isBranch: boolean): boolean {
  if ($ref !== undefined) return false
  if (values !== undefined) return values.length > 1
  const several = (anyOf ?? oneOf ?? []).filter((one) => one.type !== 'null')
  if (several.length > 1) return true
  return isBranch && several.length === 0 && (items !== undefined || type === 'object')
}

/** Whether a schema is an object with its own members, or combines such objects. */
function isObjectSchema(schema: Schema): boolean {
  return schema.allOf !== undefined || schema.properties !== undefined
}

/** `agent_run.completed` → `AgentRunCompleted`. */
export function pascal(name: string): string {
  return name.replace(/(?:^|[^a-zA-Z0-9]+)([a-zA-Z0-9])/g, (_, first: string) => first.toUpperCase())
}

/** `Deliveries` → `Delivery`; covers the names in this API. */
function singular(name: string): string {
  if (/(ss|us)$/.test(name)) return name
  return name
    .replace(/ies$/, 'y')
    .replace(/(x|ch|sh|ss)es$/, '$1')
    .replace(/([^s])s$/, '$1')
}
