import type { TSchema, Type as TypeBox } from 'typebox'

export type { Static, TSchema } from 'typebox'

type Schema = Record<string, unknown>
type Builders = Pick<
  typeof TypeBox,
  | 'Any'
  | 'Array'
  | 'Boolean'
  | 'Integer'
  | 'Intersect'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unknown'
  | 'Unsafe'
>

/** Marks a schema of an optional member. Not enumerable, so that no document shows it. */
const OPTIONAL = '~optional'

const ofType = (type: string) => (options?: object) => ({ type, ...options })
const ofAny = (options?: object) => ({ ...options })

/**
 * Builds schemas with TypeBox's types, but without its run-time code: that is some 400 modules, a seventh of the time
 * that a start takes (`test/start.test.ts` keeps them out).
 */
export const Type = {
  Any: ofAny,
  Array: (items: TSchema, options?: object) => ({ type: 'array', items, ...options }),
  Boolean: ofType('boolean'),
  Integer: ofType('integer'),
  Intersect: (allOf: TSchema[], options?: object) => ({ allOf, ...options }),
  Null: ofType('null'),
  Number: ofType('number'),
  Object(properties: Record<string, Schema>, options?: object) {
    const required = Object.keys(properties).filter((name) => !(OPTIONAL in (properties[name] as Schema)))
    return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
  },
  Optional: (schema: Schema) => Object.defineProperty({ ...schema }, OPTIONAL, { value: true }),
  Record: ({ pattern = '^.*$' }: Schema, value: TSchema, options?: object) => ({
    ...{ type: 'object', patternProperties: { [String(pattern)]: value } },
    ...options,
  }),
  String: ofType('string'),
  Union: (anyOf: TSchema[], options?: object) => ({ anyOf, ...options }),
  Unknown: ofAny,
  Unsafe: (schema: Schema) => schema,
} as unknown as Builders
