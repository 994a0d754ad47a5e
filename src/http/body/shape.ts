/** How much of what a body may hold, as its schema says; `scan.ts` counts by it. */
export type Shape =
  | { kind: 'object'; members: ReadonlyMap<string, Shape>; rest: Shape }
  | { kind: 'list'; items: Shape; most: number }
  /** Whatever the caller likes: so many values and no more. */
  | { kind: 'free' }
  /** A number, a boolean, null, or a text of so many characters. */
  | { kind: 'scalar'; most: number }
  /** Nothing that the schema knows: it is refused, and read only to be named. */
  | { kind: 'stray' }

const FREE: Shape = { kind: 'free' }
const scalar = (most: number): Shape => ({ kind: 'scalar', most })
export const STRAY: Shape = { kind: 'stray' }

/** JSON Schema, as far as it says how much there may be. */
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

const known = new WeakMap<object, Shape>()

/** The shape of a route's body, worked out once; without a schema nothing is known of it. */
export function shapeOf(schema: object | undefined): Shape {
  if (schema === undefined) return STRAY
  const shape = known.get(schema) ?? read(schema)
  known.set(schema, shape)
  return shape
}

function read(schema: Schema): Shape {
  const { type, anyOf, allOf, properties = {}, additionalProperties: more } = schema
  if (anyOf !== undefined) return ofAny(anyOf.map(read))
  if (schema.enum !== undefined || 'const' in schema) return scalar(0)
  if (type === 'array')
    return schema.maxItems === undefined || schema.items === undefined
      ? FREE
      : { kind: 'list', items: read(schema.items), most: schema.maxItems }
  if (type === undefined || allOf !== undefined) return FREE
  if (type !== 'object') return scalar(schema.maxLength ?? 0)
  // Members of any name: no schema says how many.
  if (more !== false) return FREE
  const members = Object.entries(properties).map(([name, member]) => [name, read(member)] as const)
  return { kind: 'object', members: new Map(members), rest: STRAY }
}

/** Of several that hold something, none says for which a body was meant. */
function ofAny(shapes: Shape[]): Shape {
  const [first, ...others] = shapes.filter(({ kind }) => kind !== 'scalar')
  if (first === undefined) return scalar(Math.max(...shapes.map((one) => ('most' in one ? one.most : 0))))
  return others.length === 0 ? first : FREE
}
