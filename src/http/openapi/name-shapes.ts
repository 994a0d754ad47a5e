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
}

interface Content {
  [type: string]: { schema?: Schema }
}

interface Operation {
  operationId?: string
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

/**
 * Moves each shape of an object to `components.schemas`, under the name that its operation and its place give it, so that
 * generators make readable types. Shapes that are alike share the first one's name.
 */
export function nameShapes<T extends Document>(document: T): T {
  const schemas: Record<string, unknown> = { ...document.components?.schemas }
  const names = new Map<string, string>()

  function take(schema: Schema, wanted: string[]): Schema {
    const named = inside(schema, wanted[0] ?? '')
    if (!isShape(named)) return named
    const print = JSON.stringify(named)
    const name = names.get(print) ?? freeName(wanted)
    names.set(print, name)
    schemas[name] = named
    return { $ref: `${AT}${name}` }
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
          take(inner, [name + pascal(member)]),
        ]),
      )
    if (schema.items !== undefined) copy.items = take(schema.items, [singular(name)])
    const { additionalProperties: others } = schema
    if (typeof others === 'object') copy.additionalProperties = take(others, [singular(name)])
    for (const keyword of ['anyOf', 'oneOf'] as const)
      if (schema[keyword] !== undefined) copy[keyword] = schema[keyword].map((one) => take(one, [name]))
    // What a shape is made of has a name only where another has given it one.
    if (schema.allOf !== undefined) copy.allOf = schema.allOf.map((one) => known(inside(one, name)))
    return copy
  }

  const operations = Object.values(document.paths ?? {}).flatMap((one) => Object.values(one) as Operation[])
  for (const prefix of ORDER) {
    for (const operation of operations) {
      const name = operation.operationId ?? ''
      if (ORDER.find((one) => name.startsWith(one)) !== prefix) continue
      for (const [status, { content }] of Object.entries(operation.responses ?? {}))
        for (const media of Object.values(content ?? {}))
          if (media.schema !== undefined) media.schema = answer(name, media.schema, status)
      for (const media of Object.values(operation.requestBody?.content ?? {}))
        if (media.schema !== undefined) media.schema = take(media.schema, [`${pascal(name)}Body`])
    }
  }

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

/** Whether a schema is one of an object with members of its own, or is made of such ones. */
function isShape(schema: Schema): boolean {
  return schema.allOf !== undefined || schema.properties !== undefined
}

function pascal(name: string): string {
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
