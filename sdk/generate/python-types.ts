import { type ApiDocument, resolve, type Schema } from './document.ts'
import { nameOf } from './types.ts'

/** Shapes whose members are the caller's own, or a language of their own: they stay as they are written. */
const AS_WRITTEN: Record<string, string> = {
  FreeValue: 'Any',
  FreeObject: 'dict[str, Any]',
  DataSchema: 'bool | dict[str, Any]',
  EventTypeSchema: 'dict[str, Any]',
  CreateEventTypeBodySchema: 'dict[str, Any]',
}

/** Words that Python, or a model of Pydantic, has for itself. */
const KEYWORDS = new Set(
  'and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return True try while with yield'.split(
    ' ',
  ),
)
const OF_MODELS = new Set('schema json dict list copy construct validate fields'.split(' '))

const WIDTH = 110

/** How a schema is read: `answer` leaves room for what later servers say, `body` is exact. */
type Side = 'answer' | 'body'

/** Names of the wire with several capitals in a row, in Python. */
export const WITH_ACRONYMS: Record<string, string> = { clientDataJSON: 'client_data_json' }

/** A name of the wire in Python: `maxInFlight` → `max_in_flight`. */
export function snake(name: string): string {
  return (
    WITH_ACRONYMS[name] ??
    name.replace(/[A-Z]/g, (letter, at: number) => `${at === 0 ? '' : '_'}${letter.toLowerCase()}`)
  )
}

/** @throws Error where the name does not come back from Python as it was */
export function pythonName(name: string, taken: ReadonlySet<string> = new Set()): string {
  const written = snake(name)
  const back = written.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  if ((back !== name && WITH_ACRONYMS[name] === undefined) || !/^[a-z]\w*$/.test(written))
    throw new Error(`${name} has no name in Python: sdk/generate/python-types.ts must say one.`)
  return KEYWORDS.has(written) || taken.has(written) ? `${written}_` : written
}

export const pascal = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

/** What is known of the document's shapes for all of Python's files. */
export interface Shapes {
  document: ApiDocument
  /** Those that are classes; the others are names for other types. */
  classes: Set<string>
}

export function shapesOf(document: ApiDocument): Shapes {
  const { schemas } = document.components
  const isClass = ([name, schema]: [string, Schema]) =>
    AS_WRITTEN[name] === undefined &&
    (schema.allOf !== undefined || Object.keys(schema.properties ?? {}).length > 0)
  return {
    document,
    classes: new Set(
      Object.entries(schemas)
        .filter(isClass)
        .map(([name]) => name),
    ),
  }
}

/** A schema as an annotation. @param name how a shape of the document is written */
export function annotation(
  shapes: Shapes,
  schema: Schema,
  side: Side,
  name: (shape: string) => string = (shape) => shape,
): string {
  const { $ref, enum: values, anyOf, oneOf, properties, items, additionalProperties } = schema
  const within = (one: Schema) => annotation(shapes, one, side, name)
  if ($ref !== undefined) {
    const shape = nameOf($ref)
    if (AS_WRITTEN[shape] !== undefined) return AS_WRITTEN[shape]
    const target = resolve(shapes.document, schema)
    // A name for a text or a list says less than what it stands for.
    if (!shapes.classes.has(shape) && target.enum === undefined) return within(target)
    return side === 'answer' && isOfTexts(target) ? union([name(shape), 'str']) : name(shape)
  }
  if ('const' in schema) return literals([schema.const])
  if (values !== undefined)
    return side === 'answer' && isOfTexts(schema) ? union([literals(values), 'str']) : literals(values)
  const several = anyOf ?? oneOf
  if (several !== undefined && properties === undefined) return union(several.map(within))
  switch (schema.type) {
    case 'string':
      return schema.format === 'date-time' ? 'datetime' : 'str'
    case 'integer':
      return 'int'
    case 'number':
      return 'float'
    case 'boolean':
      return 'bool'
    case 'null':
      return 'None'
    case 'array':
      return `list[${within(items ?? {})}]`
    case 'object':
      break
    default:
      return 'Any'
  }
  const value =
    typeof additionalProperties === 'object'
      ? additionalProperties
      : (Object.values(schema.patternProperties ?? {})[0] ?? {})
  return `dict[str, ${within(value)}]`
}

const isOfTexts = ({ enum: values }: Schema) => values?.every((one) => typeof one === 'string') === true

function literals(values: unknown[]): string {
  const written = values.map((one) =>
    one === null ? 'None' : one === true ? 'True' : one === false ? 'False' : JSON.stringify(one),
  )
  return `Literal[${written.join(', ')}]`
}

export function union(types: string[]): string {
  const unique = [...new Set(types)]
  if (unique.includes('Any')) return 'Any'
  return [...unique.filter((one) => one !== 'None'), ...(unique.includes('None') ? ['None'] : [])].join(' | ')
}

/** Text as a docstring: a first paragraph, and lines below it that are indented once. */
export function docstring(text: string, indent: string, below: string[] = []): string {
  const safe = (one: string) => one.replaceAll('\\', '\\\\').replaceAll('"""', "'''").replace(/"$/, '" ')
  const first = wrap(`"""${safe(text.replace(/\s+/g, ' ').trim())}`, indent, indent)
  const rest = below.flatMap((line) => [
    '',
    wrap(safe(line.replace(/\s+/g, ' ')), `${indent}    `, `${indent}        `),
  ])
  if (below.length === 0)
    return first.length + 3 <= WIDTH || first.includes('\n') ? `${first}"""` : `${first}\n${indent}"""`
  return [first, '', `${indent}Args:`, ...rest.filter((line) => line !== ''), `${indent}"""`].join('\n')
}

function wrap(text: string, first: string, others: string): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.length - 1
    const line = lines[last] ?? ''
    const indent = last === 0 ? first : others
    if (line !== '' && indent.length + line.length + word.length + 4 > WIDTH) lines.push(word)
    else lines[last] = line === '' ? word : `${line} ${word}`
  }
  return lines.map((line, at) => `${at === 0 ? first : others}${line}`).join('\n')
}

/** Python's `types.py`, without its head: each shape below those that it is made of. */
export function declarations(shapes: Shapes): string[] {
  const { document } = shapes
  const { schemas } = document.components
  const answered = reachable(document, answersOf(document))
  const names = Object.keys(schemas)
    .filter((name) => shapes.classes.has(name) || schemas[name]?.enum !== undefined)
    .filter((name) => !/^(ErrorAnswer|ErrorCode|DataSchema)/.test(name) && !isPlainPage(schemas[name] ?? {}))
    .sort()
  const done = new Set<string>()
  const written: string[] = []
  const add = (name: string, above: string[] = []) => {
    if (done.has(name) || above.includes(name) || !names.includes(name)) return
    for (const other of referencesOf(schemas[name] ?? {})) add(other, [...above, name])
    done.add(name)
    written.push(declare(shapes, name, answered.has(name) ? 'answer' : 'body'))
  }
  for (const name of names) add(name)
  return written
}

/** A page of a list is a `Page` of its items; only one that says more has a shape of its own. */
const isPlainPage = ({ properties = {} }: Schema) =>
  Object.keys(properties).sort().join() === 'data,nextCursor'

function answersOf(document: ApiDocument): Schema[] {
  const operations = Object.values(document.paths).flatMap((one) => Object.values(one))
  const bodies = [
    ...operations.flatMap(({ responses }) => Object.values(responses)),
    ...Object.values(document.webhooks).map(({ post }) => post.requestBody),
  ]
  return bodies.flatMap(({ content = {} }) => Object.values(content).flatMap(({ schema }) => schema ?? []))
}

function reachable({ components }: ApiDocument, from: Schema[]): Set<string> {
  const found = new Set<string>()
  const visit = (schema: Schema) => {
    for (const name of referencesOf(schema)) {
      if (found.has(name)) continue
      found.add(name)
      visit(components.schemas[name] ?? {})
    }
  }
  for (const schema of from) visit(schema)
  return found
}

function referencesOf(schema: Schema): string[] {
  const { $ref, properties = {}, patternProperties = {}, items, anyOf, oneOf, allOf } = schema
  const { additionalProperties } = schema
  const below = [
    ...Object.values(properties),
    ...Object.values(patternProperties),
    ...[anyOf, oneOf, allOf].flatMap((several) => several ?? []),
    ...(items === undefined ? [] : [items]),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
  ]
  return [...($ref === undefined ? [] : [nameOf($ref)]), ...below.flatMap(referencesOf)]
}

function declare(shapes: Shapes, name: string, side: Side): string {
  const schema = shapes.document.components.schemas[name] ?? {}
  // The values of a choice are all that a body may hold; where an answer names it, others are allowed for.
  if (!shapes.classes.has(name)) return choice(name, annotation(shapes, schema, 'body'), schema.description)
  const parts = schema.allOf ?? [schema]
  const bases = parts.flatMap(({ $ref }) => ($ref === undefined ? [] : [nameOf($ref)]))
  const own = parts.filter(({ $ref }) => $ref === undefined)
  const base = bases.length > 0 ? bases.join(', ') : side === 'answer' ? 'ApiModel' : 'ApiBody'
  const fields = own.flatMap((part) =>
    Object.entries(part.properties ?? {}).map(([member, one]) =>
      field(shapes, member, one, side, part.required?.includes(member) === true),
    ),
  )
  const about = schema.description === undefined ? '' : `${docstring(schema.description, '    ')}\n\n`
  return `class ${name}(${base}):\n${about}${fields.join('\n') || '    pass'}`
}

function choice(name: string, type: string, about?: string): string {
  const comment = about === undefined ? '' : `${wrap(`# ${about.replace(/\s+/g, ' ')}`, '', '# ')}\n`
  const line = `${comment}${name}: TypeAlias = ${type}`
  if (line.length <= WIDTH) return line
  const values = type.slice('Literal['.length, -1).split(', ')
  return `${comment}${name}: TypeAlias = Literal[\n    ${values.join(',\n    ')},\n]`
}

/** What an answer may lack is None in it: a later or an earlier server can be read, too. */
function field(shapes: Shapes, member: string, schema: Schema, side: Side, isRequired: boolean): string {
  const type = annotation(shapes, schema, side)
  const isNullable = type === 'Any' || / \| None$|^None$/.test(type)
  const isOptional = side === 'answer' ? isNullable || !isRequired : !isRequired
  const written = isOptional && !isNullable ? `${type} | None` : type
  const line = `    ${pythonName(member, OF_MODELS)}: ${written}${isOptional ? ' = None' : ''}`
  return schema.description === undefined ? line : `${line}\n${docstring(schema.description, '    ')}`
}

/** The built-in events by their types, and their union. */
export function events({ document }: Shapes): string {
  const rows = Object.entries(document.webhooks).map(([type, { post }]) => {
    const { $ref } = post.requestBody.content['application/json']?.schema ?? {}
    if ($ref === undefined) throw new Error(`The event ${type} has no shape with a name.`)
    return [type, nameOf($ref)] as const
  })
  return [
    '# The built-in events, by their types.',
    `EVENTS: dict[str, type[ApiModel]] = {\n${rows.map(([type, name]) => `    "${type}": ${name},`).join('\n')}\n}`,
    '',
    '# What a webhook brings: a built-in event, or one of a type of your own.',
    `WebhookEvent: TypeAlias = Union[\n${rows.map(([, name]) => `    ${name},`).join('\n')}\n    CustomEvent,\n]`,
  ].join('\n')
}
