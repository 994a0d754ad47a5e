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
  'lists of values for each of many': [
    { properties: { a: { items: { allOf: Array.from({ length: 13 }, () => ({ enum: numbers(199) })) } } } },
    'schema',
  ],
  'alternatives for each of many': [
    { items: { oneOf: numbers(32).map((value) => ({ const: value })) } },
    'schema',
  ],
  'large values to compare each of many with': [
    { items: { enum: numbers(90).map((value) => [1, 2, 3, value]) } },
    'schema',
  ],
  'names that each of many must have': [
    {
      additionalProperties: {
        allOf: Array.from({ length: 6 }, () => ({ required: numbers(100).map(String) })),
      },
    },
    'schema',
  ],
  'members to be counted again and again': [
    { allOf: Array.from({ length: 32 }, () => ({ maxProperties: 1e9 })) },
    'schema',
  ],
  'members to be looked at again and again': [
    { allOf: Array.from({ length: 20 }, () => ({ additionalProperties: { type: 'integer' } })) },
    'schema',
  ],
  'more than can be made into code': [
    { properties: Object.fromEntries(numbers(8).map((name) => [`a${name}`, { enum: numbers(200) }])) },
    'schema',
  ],
}

/** Schemas that are taken, each as costly as one of its kind may be, with data that costs them most. */
export const COSTLY_SCHEMAS: Record<string, [object, () => object]> = {
  'lists of values': [
    ofItems({ allOf: [{ enum: numbers(200) }, { enum: numbers(200) }] }),
    () => items('199'),
  ],
  'lists of texts': [ofItems({ enum: [...numbers(199).map(String), ''] }), () => items('""')],
  alternatives: [ofItems({ oneOf: numbers(25).map((value) => ({ const: value })) }), () => items('24')],
  'alternatives of objects': [
    ofItems({ anyOf: numbers(8).map((value) => ({ type: 'object', properties: { k: { const: value } } })) }),
    () => items('{"k":7}'),
  ],
  'large values': [
    ofItems({ enum: numbers(55).map((value) => [1, 2, 3, value]) }),
    () => items('[1,2,3,54]'),
  ],
  'names that must be there': [ofItems({ not: { required: numbers(400).map(String) } }), () => items('{}')],
  'names that may be there': [
    ofItems({ properties: Object.fromEntries(numbers(120).map((name) => [name, { type: 'string' }])) }),
    () => items('{}'),
  ],
  'lengths of texts': [
    { properties: { a: { allOf: Array.from({ length: 32 }, () => ({ maxLength: 300_000 })) } } },
    () => ({ a: '\u{1f600}'.repeat(65_000) }),
  ],
  'numbers of members': [
    { properties: { a: { allOf: Array.from({ length: 8 }, () => ({ maxProperties: 300_000 })) } } },
    () => ({ a: members() }),
  ],
  'members of any name': [
    {
      properties: {
        a: {
          allOf: Array.from({ length: 6 }, () => ({
            properties: Object.fromEntries(numbers(8).map((name) => [`a${name}`, {}])),
            additionalProperties: { type: 'integer' },
          })),
        },
      },
    },
    () => ({ a: members() }),
  ],
  'items of items': [
    { properties: { a: nestItems(8, { allOf: Array.from({ length: 30 }, () => ({ type: 'array' })) }) } },
    () => ({ a: [[[[[[[Array.from({ length: 87_000 }, () => [])]]]]]]] }),
  ],
}

/** As many items as an event may hold. */
function items(item: string): object {
  const count = Math.floor((256 * 1024 - 100) / (item.length + 1))
  return JSON.parse(`{"a":[${Array.from({ length: count }, () => item).join()}]}`) as object
}

function members(): object {
  return Object.fromEntries(numbers(24_000).map((name) => [`k${name}`, 1]))
}

function ofItems(schema: object): object {
  return { properties: { a: { items: schema } } }
}

function nestItems(levels: number, schema: object): object {
  return levels === 0 ? schema : { items: nestItems(levels - 1, schema) }
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index)
}
