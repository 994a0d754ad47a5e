import { ERROR_CODES } from '../../core/errors.ts'

/** JSON Schema, as far as names are given in it. */
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
/** What tells an answer from another one of the same operation. */
const OUTCOMES: Record<string, string> = { 200: 'Done', 201: 'Created', 202: 'Accepted' }
/** What a name begins with tells which of several shapes of a thing is the thing itself: the one that is read. */
const ORDER = ['read', 'list', '']

/** Values that several schemas share, by the name of their list; any other list is called after its place. */
const LISTS: Record<string, string> = {
  'administrator,member': 'Role',
  'webhooks,connections,files,knowledge,agents': 'Module',
  [String(ERROR_CODES)]: 'ErrorCode',
}

/** What says something about one place of a schema, and nothing of the values that it takes. */
const NOTES = ['description', 'default', 'examples', 'deprecated']

/**
 * Moves each shape of an object, each list of values, and each union of several to `components.schemas`, under the name that
 * its operation and its place give it, so that generators make readable types. Schemas that are alike share the first one's name.
 */
export function nameShapes<T extends Document>(document: T): T {
  const schemas: Record<string, unknown> = { ...document.components?.schemas }
  const names = new Map<string, string>()

  function take(schema: Schema, wanted: string[], isBranch = false): Schema {
    const named = inside(schema, wanted[0] ?? '')
    if (isShape(named)) return { $ref: AT + nameOf(named, wanted) }
    if (!isChoice(named, isBranch)) return named
    const notes = Object.entries(named).filter(([keyword]) => NOTES.includes(keyword))
    const own = Object.fromEntries(Object.entries(named).filter(([keyword]) => !NOTES.includes(keyword)))
    const shared = LISTS[String(schema.enum)]
    const reference = { $ref: AT + nameOf(own, shared === undefined ? wanted : [shared]) }
    return { ...Object.fromEntries(notes), ...reference }
  }

  /** The name under which a schema stands among the components. */
  function nameOf(schema: Schema, wanted: string[]): string {
    const print = JSON.stringify(schema)
    const name = names.get(print) ?? freeName(wanted)
    names.set(print, name)
    schemas[name] = schema
    return name
  }

  function known(schema: Schema): Schema {
    const name = names.get(JSON.stringify(schema))
    return name === undefined ? schema : { $ref: `${AT}${name}` }
  }

  function freeName(wanted: string[]): string {
    const last = wanted.at(-1) ?? ''
    const numbered = Array.from({ length: 100 }, (_, at) => `${last}${at + 2}`)
    return [...wanted, ...numbered].find((name) => !Object.hasOwn(schemas, name)) ?? last
  }

  /** The same schema with the shapes in it named after it. */
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
    // What a shape is made of has a name only where another has given it one.
    if (schema.allOf !== undefined) copy.allOf = schema.allOf.map((one) => known(inside(one, name)))
    return copy
  }

  /** The only branch beside null is what its place is called; of several, each has a name of its own. */
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
      // Each member of a form becomes an argument: generators forget the type of a form that has a name.
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
    // What is called something is called so.
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

/** A member is called after its owner; where its name repeats the end of the owner's (`body` of `…Body`), once is enough. */
function memberNames(owner: string, member: string): string[] {
  const [, last = ''] = /([A-Z][a-z]+)$/.exec(owner) ?? []
  const own = pascal(member)
  if (own === last) return [`${owner}Content`]
  return own.startsWith(last) && last !== ''
    ? [owner + own.slice(last.length), `${owner}Content`]
    : [owner + own]
}

/** What distinguishes the branches of a union. */
function branchEnd({ type, enum: values, items }: Schema): string {
  if (values !== undefined) return 'Choice'
  if (items !== undefined) return 'List'
  return typeof type === 'string' ? pascal(type) : 'Shape'
}

/** Whether a schema is a list of values, or a union of several beside null; within a union also any list or map. */
function isChoice({ enum: values, anyOf, oneOf, type, items, $ref }: Schema, isBranch: boolean): boolean {
  if ($ref !== undefined) return false
  if (values !== undefined) return values.length > 1
  const several = (anyOf ?? oneOf ?? []).filter((one) => one.type !== 'null')
  if (several.length > 1) return true
  return isBranch && several.length === 0 && (items !== undefined || type === 'object')
}

/** Whether a schema is one of an object with members of its own, or is made of such ones. */
function isShape(schema: Schema): boolean {
  return schema.allOf !== undefined || schema.properties !== undefined
}

/** `agent_run.completed` → `AgentRunCompleted`. */
export function pascal(name: string): string {
  return name.replace(/(?:^|[^a-zA-Z0-9]+)([a-zA-Z0-9])/g, (_, first: string) => first.toUpperCase())
}

/** `Deliveries` → `Delivery`, as far as our own names go. */
function singular(name: string): string {
  if (/(ss|us)$/.test(name)) return name
  return name
    .replace(/ies$/, 'y')
    .replace(/(x|ch|sh|ss)es$/, '$1')
    .replace(/([^s])s$/, '$1')
}
