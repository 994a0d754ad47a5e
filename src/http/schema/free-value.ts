import { documented, NAMED } from './public-schema.ts'
import { Type } from './type.ts'

const VALUE = { [NAMED]: 'FreeValue' }

/**
 * The rule of an object whose members have names that are not ours: `json-body.ts` refuses a member `__proto__`, and a
 * `prototype` within a `constructor`. Not by `required`: to some readers every object has a `__proto__`.
 */
export const FREE_NAMES = {
  propertyNames: { not: { const: '__proto__' } },
  not: {
    type: 'object',
    required: ['constructor'],
    properties: { constructor: { type: 'object', required: ['prototype'] } },
  },
}

/** What a value of a shape that we do not know may be, as components of the document. */
export const FREE_SCHEMAS: Record<string, object> = {
  // Of no type: each rule speaks of the values that it can be asked of.
  FreeValue: {
    description: 'Any JSON without the members that lead programs of JavaScript astray.',
    ...FREE_NAMES,
    items: VALUE,
    additionalProperties: VALUE,
  },
  FreeObject: { type: 'object', ...FREE_NAMES, additionalProperties: VALUE },
}

/** What may stand in a request where anything may. */
export const FreeValue = Type.Unknown({ ...documented(VALUE) })

/** An object of a request whose members we do not know. */
export const FreeObject = Type.Object(
  {},
  { additionalProperties: true, ...documented({ [NAMED]: 'FreeObject' }) },
)
