import { documented, NAMED } from './public-schema.ts'
import { Type } from './type.ts'

const VALUE = { [NAMED]: 'FreeValue' }

/**
 * The rule of an object with arbitrary member names: `json-body.ts` refuses a member `__proto__`, and a `prototype`
 * within a `constructor`. It is not written by `required`, because to some validators every object has a `__proto__`.
 */
export const FREE_NAMES = {
  propertyNames: { not: { const: '__proto__' } },
  not: {
    type: 'object',
    required: ['constructor'],
    properties: { constructor: { type: 'object', required: ['prototype'] } },
  },
}

/** The components that describe arbitrary values. */
export const FREE_SCHEMAS: Record<string, object> = {
  // No type: each rule applies only to values that it can judge.
  FreeValue: {
    description: 'Any JSON without the members that lead programs of JavaScript astray.',
    ...FREE_NAMES,
    items: VALUE,
    additionalProperties: VALUE,
  },
  FreeObject: { type: 'object', ...FREE_NAMES, additionalProperties: VALUE },
}

/** Arbitrary JSON in a request. */
export const FreeValue = Type.Unknown({ ...documented(VALUE) })

/** An object of a request with arbitrary members. */
export const FreeObject = Type.Object(
  {},
  { additionalProperties: true, ...documented({ [NAMED]: 'FreeObject' }) },
)
