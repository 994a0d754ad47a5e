/** A field of a flat schema, as a form shows it. */
export interface Field {
  name: string
  kind: 'text' | 'number' | 'integer' | 'boolean' | 'choice'
  options: readonly string[]
  isRequired: boolean
  hint: string | undefined
}

interface Schema {
  type?: unknown
  properties?: Record<string, Schema>
  required?: unknown
  enum?: unknown
  const?: unknown
  description?: unknown
  format?: unknown
  minimum?: unknown
  maximum?: unknown
  examples?: unknown
}

const KINDS: Record<string, Field['kind']> = {
  string: 'text',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
}

/** The fields of a schema whose members are all single values; undefined for any other schema. */
export function fieldsOf(schema: object | undefined): readonly Field[] | undefined {
  const { properties, required } = (schema ?? {}) as Schema
  const entries = Object.entries(properties ?? {})
  const needed = Array.isArray(required) ? required : []
  const fields = entries.flatMap(([name, one]) => {
    const kind = kindOf(one)
    return kind === undefined ? [] : [toField(name, one, kind, needed.includes(name))]
  })
  return fields.length === 0 || fields.length < entries.length ? undefined : fields
}

function kindOf({ type, enum: values, const: fixed }: Schema): Field['kind'] | undefined {
  if (typeof fixed === 'string') return 'choice'
  if (Array.isArray(values)) return values.every((value) => typeof value === 'string') ? 'choice' : undefined
  return typeof type === 'string' && Object.hasOwn(KINDS, type) ? KINDS[type] : undefined
}

function toField(name: string, schema: Schema, kind: Field['kind'], isRequired: boolean): Field {
  const { enum: values, const: fixed, description, format, minimum, maximum } = schema
  const options = typeof fixed === 'string' ? [fixed] : Array.isArray(values) ? values.map(String) : []
  const words = [
    typeof description === 'string' ? description : undefined,
    kind === 'integer' ? 'A whole number.' : undefined,
    minimum === undefined ? undefined : `At least ${String(minimum)}.`,
    maximum === undefined ? undefined : `At most ${String(maximum)}.`,
    typeof format === 'string' ? `As ${format}.` : undefined,
  ].filter((word) => word !== undefined)
  return { name, kind, options, isRequired, hint: words.join(' ') || undefined }
}

/** A typed text as a value of the field's type; undefined leaves the member out. A text that is no number stays a text, which the server refuses. */
export function meant({ kind }: Field, typed: string): unknown {
  if (typed === '' && kind !== 'text') return undefined
  if (kind === 'boolean') return typed === 'true'
  if (kind !== 'number' && kind !== 'integer') return typed
  const value = Number(typed)
  return Number.isFinite(value) ? value : typed
}
