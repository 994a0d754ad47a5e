/** How many values a body may hold according to its schema; `scan-json.ts` enforces it. */
export type BodyLimits =
  | { kind: 'object'; members: ReadonlyMap<string, BodyLimits>; rest: BodyLimits }
  | { kind: 'list'; items: BodyLimits; most: number }
  /** Arbitrary JSON, up to a number of values. */
  | { kind: 'any' }
  /** A number, a boolean, null, or a string with a longest length. */
  | { kind: 'scalar'; most: number }
  /** Unknown to the schema: it is parsed only to name it in the error. */
  | { kind: 'unknown' }

const ANY_VALUE: BodyLimits = { kind: 'any' }
const scalar = (most: number): BodyLimits => ({ kind: 'scalar', most })
export const UNKNOWN: BodyLimits = { kind: 'unknown' }

/** The keywords of JSON Schema that limit sizes. */
interface Schema {
  type?: string
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  items?: Schema
  maxItems?: number
  maxLength?: number
  anyOf?: Schema[]
  allOf?: Schema[]
  enum?: unknown[]
  const?: unknown
}

const known = new WeakMap<object, BodyLimits>()

/** The limits of a route's body, computed once; without a schema every value is unknown. */
export function limitsOf(schema: object | undefined): BodyLimits {
  if (schema === undefined) return UNKNOWN
  const shape = known.get(schema) ?? read(schema)
  known.set(schema, shape)
  return shape
}

function read(schema: Schema): BodyLimits {
  const { type, anyOf, allOf, properties = {}, additionalProperties: more } = schema
  if (anyOf !== undefined) return ofAny(anyOf.map(read))
  if (schema.enum !== undefined || 'const' in schema) return scalar(0)
  if (type === 'array')
    return schema.maxItems === undefined || schema.items === undefined
      ? ANY_VALUE
      : { kind: 'list', items: read(schema.items), most: schema.maxItems }
  if (type === undefined || allOf !== undefined) return ANY_VALUE
  if (type !== 'object') return scalar(schema.maxLength ?? 0)
  // The schema does not limit the number of members.
  if (more !== false) return ANY_VALUE
  const members = Object.entries(properties).map(([name, member]) => [name, read(member)] as const)
  return { kind: 'object', members: new Map(members), rest: UNKNOWN }
}

/** The limits of a union: of several containers, the scan cannot know which one a body uses. */
function ofAny(shapes: BodyLimits[]): BodyLimits {
  const [first, ...others] = shapes.filter(({ kind }) => kind !== 'scalar')
  if (first === undefined) return scalar(Math.max(...shapes.map((one) => ('most' in one ? one.most : 0))))
  return others.length === 0 ? first : ANY_VALUE
}
