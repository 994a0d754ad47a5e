/** A schema that many levels deep. */
export const nest = (levels: number, schema: object): object =>
  levels === 0 ? schema : { properties: { a: nest(levels - 1, schema) } }
/** Brackets in brackets. */
export const deep = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)

/** Schemas that are refused, with the first member that is in the way. */
export const HOSTILE_SCHEMAS: Record<string, [object, string]> = {
  'a pattern': [{ properties: { a: { pattern: '^(a+)+$' } } }, 'schema.properties.a.pattern'],
  'patterns of members': [{ patternProperties: { '^(a+)+$': {} } }, 'schema.patternProperties'],
  'a reference': [{ $ref: '#' }, 'schema.$ref'],
  'a dynamic reference': [{ properties: { a: { $dynamicRef: '#x' } } }, 'schema.properties.a.$dynamicRef'],
  'a remote reference': [{ items: { $ref: 'http://169.254.169.254/' } }, 'schema.items.$ref'],
  definitions: [{ $defs: { a: {} } }, 'schema.$defs'],
  uniqueItems: [{ properties: { a: { uniqueItems: true } } }, 'schema.properties.a.uniqueItems'],
  contains: [{ contains: { type: 'string' } }, 'schema.contains'],
  'names of members': [{ propertyNames: { pattern: 'x' } }, 'schema.propertyNames'],
  conditions: [{ if: {}, else: {} }, 'schema.if'],
  'an id, which all organizations would share': [{ $id: 'https://acme.test/x' }, 'schema.$id'],
  'an id inside': [{ properties: { a: { $id: 'https://acme.test/x' } } }, 'schema.properties.a.$id'],
  'a dialect inside': [{ items: { $schema: 'x' } }, 'schema.items.$schema'],
  'an unknown keyword': [{ 'x-mine': 1 }, 'schema.x-mine'],
  'one level too many': [nest(11, {}), `schema${'.properties.a'.repeat(11)}`],
  'thousands of levels': [{ default: deep(3_000) }, 'schema'],
  'more than 16 KiB': [{ description: 'x'.repeat(16 * 1024) }, 'schema'],
  '33 alternatives': [{ anyOf: Array.from({ length: 33 }, () => ({})) }, 'schema.anyOf'],
  'alternatives of alternatives': [
    { anyOf: Array.from({ length: 6 }, () => ({ oneOf: Array.from({ length: 6 }, () => ({})) })) },
    'schema.anyOf.4.oneOf',
  ],
  'no alternative': [{ anyOf: [] }, 'schema.anyOf'],
  '201 values': [
    { properties: { a: { enum: Array.from({ length: 201 }, (_, i) => i) } } },
    'schema.properties.a.enum',
  ],
  'a list where a schema belongs': [{ items: [{}] }, 'schema.items'],
  'a text where a schema belongs': [{ not: 'x' }, 'schema.not'],
  'a text for the members': [{ properties: 'x' }, 'schema.properties'],
  'an unknown type': [{ type: 'money' }, 'schema'],
  'a negative length': [{ minLength: -1 }, 'schema'],
  'a text for a number': [{ minimum: '1' }, 'schema'],
  'a number for the dialect': [{ $schema: 7 }, 'schema.$schema'],
}
