import { FREE_NAMES } from '../../http/schema/free-value.ts'
import { documented, NAMED } from '../../http/schema/public-schema.ts'
import { LARGEST_SCHEMA, LONGEST_ENUM } from './event-type-schema.ts'

const SIMPLE = { type: 'string', enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] }
/** No text is longer than the largest schema. */
const TEXT = { type: 'string', maxLength: LARGEST_SCHEMA }
const COUNT = { type: 'integer', minimum: 0 }
const NUMBER = { type: 'number' }
const FREE = { [NAMED]: 'FreeValue' }
const INNER = { [NAMED]: 'DataSchema' }
const BRANCHES = { type: 'array', minItems: 1, maxItems: 32, items: INNER }

/** The keywords of a custom schema, with the schema of each value. */
const MEMBERS = {
  title: TEXT,
  description: TEXT,
  examples: { type: 'array', items: FREE },
  default: FREE,
  deprecated: { type: 'boolean' },
  type: { anyOf: [SIMPLE, { type: 'array', minItems: 1, uniqueItems: true, items: SIMPLE }] },
  enum: { type: 'array', minItems: 1, maxItems: LONGEST_ENUM, uniqueItems: true, items: FREE },
  const: FREE,
  properties: { type: 'object', additionalProperties: INNER, ...FREE_NAMES },
  required: { type: 'array', uniqueItems: true, items: TEXT },
  additionalProperties: INNER,
  minProperties: COUNT,
  maxProperties: COUNT,
  items: INNER,
  minItems: COUNT,
  maxItems: COUNT,
  minimum: NUMBER,
  maximum: NUMBER,
  exclusiveMinimum: NUMBER,
  exclusiveMaximum: NUMBER,
  multipleOf: { type: 'number', exclusiveMinimum: 0 },
  minLength: COUNT,
  maxLength: COUNT,
  format: TEXT,
  anyOf: BRANCHES,
  oneOf: BRANCHES,
  allOf: BRANCHES,
  not: INNER,
}

/** The forms of a schema within a schema, as components of the document. */
export const DATA_SCHEMAS = {
  DataSchema: {
    description: 'A JSON Schema without costly keywords.',
    anyOf: [{ type: 'boolean' }, { [NAMED]: 'DataSchemaObject' }],
  },
  DataSchemaObject: { type: 'object', properties: MEMBERS, additionalProperties: false },
}

/** The form of a custom schema, in JSON Schema. */
export const OWN_SCHEMA = documented({
  properties: { $schema: TEXT, ...MEMBERS },
  additionalProperties: false,
})
