import { type ApiDocument, resolve, type Schema } from './document.ts'

/** A schema in words of TypeScript. */
export function typeOf(schema: Schema, indent = ''): string {
  const { $ref, enum: values, anyOf, oneOf, allOf, properties, items, additionalProperties } = schema
  if ($ref !== undefined) return nameOf($ref)
  if ('const' in schema) return literal(schema.const)
  if (values !== undefined) return union(values.map(literal))
  if (allOf !== undefined) return allOf.map((one) => typeOf(one, indent)).join(' & ')
  const several = anyOf ?? oneOf
  if (several !== undefined && properties === undefined)
    return union(several.map((one) => typeOf(one, indent)))
  if (Array.isArray(schema.type))
    return union((schema.type as string[]).map((type) => typeOf({ ...schema, type }, indent)))
  switch (schema.type) {
    case 'string':
      return 'string'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'null':
      return 'null'
    case 'array': {
      const item = typeOf(items ?? {}, indent)
      return /[ |&]/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`
    }
    case 'object':
      break
    default:
      if (properties === undefined) return 'unknown'
  }
  if (properties !== undefined) return membersOf(schema, indent)
  const value =
    typeof additionalProperties === 'object'
      ? additionalProperties
      : Object.values(schema.patternProperties ?? {})[0]
  return `{ [name: string]: ${value === undefined ? 'unknown' : typeOf(value, indent)} }`
}

function membersOf({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `
  const lines = Object.entries(properties).map(([name, schema]) => {
    const isRequired = required.includes(name)
    const type = typeOf(schema, inner)
    return `${comment(schema.description, inner)}${inner}${keyOf(name)}${isRequired ? '' : '?'}: ${type}${isRequired ? '' : ' | undefined'}`
  })
  return lines.length === 0 ? '{ [name: string]: unknown }' : `{\n${lines.join('\n')}\n${indent}}`
}

/** The shapes of `components.schemas`, in the order of their names. */
export function shapes({ components }: ApiDocument): string[] {
  return Object.entries(components.schemas)
    .filter(([name]) => name !== 'ErrorAnswer')
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => declaration(name, schema))
}

export function declaration(name: string, schema: Schema): string {
  const type = typeOf(schema)
  const head = comment(schema.description, '')
  const isInterface = type.startsWith('{\n') && type.endsWith('\n}') && schema.properties !== undefined
  return isInterface ? `${head}export interface ${name} ${type}` : `${head}export type ${name} = ${type}`
}

/** What the members of each built-in event's `data` are. */
export function eventData(document: ApiDocument): string {
  const rows = Object.entries(document.webhooks).map(([type, { post }]) => {
    const schema = resolve(document, post.requestBody.content['application/json']?.schema ?? {})
    return `  '${type}': ${typeOf(schema.properties?.data ?? {}, '  ')}`
  })
  return `/** \`data\` of each built-in event type. */\nexport interface EventData {\n${rows.join('\n')}\n}`
}

export function nameOf(reference: string): string {
  return reference.split('/').at(-1) ?? ''
}

export function comment(text: string | undefined, indent: string): string {
  return text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '* /').replace(/\s+/g, ' ')} */\n`
}

function keyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value)
}

function union(types: string[]): string {
  const unique = [...new Set(types)]
  return unique.includes('unknown') ? 'unknown' : unique.join(' | ')
}
