import { ApiError } from '../../core/errors.ts'

/**
 * The highest cost of checking data against a schema, in steps of some nanoseconds. A schema is a program that strangers
 * write and this process runs; all other requests wait while one runs.
 */
interface Cost {
  /** For values that occur once: the data itself, and its members by name. */
  once: number
  /** For each value that can occur many times: items, and members of any name. */
  each: number
  /** Keywords that are compiled. */
  code: number
}

/** Data of 256 KiB may hold 131,072 values: each of them in so many steps is a tenth of a second or two. */
export const MOST_EACH = 500
/** Steps and keywords of a whole schema. */
export const MOST_CODE = 1_500

/** A failed keyword of an alternative leaves a record, also where another alternative fits. */
const RECORD = 15
/** Going through the members of an object, by value. */
const MEMBERS = 60

type Schema = { readonly [keyword: string]: unknown }

/** Keywords that check one value against all of their subschemas, and accept it although some fail. */
const ALTERNATIVES = ['anyOf', 'oneOf', 'not']

/**
 * @param schema a schema that its meta-schema allows
 * @throws ApiError VALIDATION_FAILED when checking data against it could hold up other requests
 */
export function refuseCostly(schema: object): void {
  const { each, code } = costOf(schema)
  if (each > MOST_EACH || code > MOST_CODE)
    throw new ApiError('VALIDATION_FAILED', { field: 'schema', reason: 'too_costly' })
}

export function costOf(schema: unknown, isBranch = false): Cost {
  if (!isSchema(schema)) return { once: 1, each: 0, code: 1 }
  const own = Object.entries(schema).map(([keyword, value]) => keywordCost(keyword, value, isBranch))
  const cost = {
    once: sum(own.map(({ once }) => once)) + 1,
    each: sum(own.map(({ each }) => each)),
    code: sum(own.map(({ once }) => once)) + 1,
  }
  for (const keyword of ['allOf', ...ALTERNATIVES])
    for (const branch of [schema[keyword] ?? []].flat()) {
      const { once, each, code } = costOf(branch, isBranch || ALTERNATIVES.includes(keyword))
      cost.once += once
      cost.each += each
      cost.code += code
    }
  // Many values are in one place, or shared among several: the sum of the places costs no more than the dearest.
  let widest = 0
  for (const member of Object.values((schema.properties ?? {}) as Schema)) {
    const { once, each, code } = costOf(member, isBranch)
    cost.once += once
    cost.code += code
    widest = Math.max(widest, each)
  }
  for (const keyword of ['items', 'additionalProperties']) {
    if (schema[keyword] === undefined) continue
    const { once, each, code } = costOf(schema[keyword], isBranch)
    cost.code += code
    // Each of many values costs its own check or, where it holds many itself, the check of each of those.
    widest = Math.max(widest, once, each)
  }
  cost.each += widest
  return cost
}

function keywordCost(keyword: string, value: unknown, isBranch: boolean): Pick<Cost, 'once' | 'each'> {
  const record = isBranch ? RECORD : 0
  switch (keyword) {
    case 'enum':
      return { once: record + sum((value as unknown[]).map(sizeOf)), each: 0 }
    case 'const':
      return { once: record + sizeOf(value), each: 0 }
    case 'required':
      return { once: record + (value as unknown[]).length, each: 0 }
    case 'properties':
      return { once: 2 * Object.keys(value as object).length, each: 0 }
    // These read the whole text, or all members: as much as many values.
    case 'minLength':
    case 'maxLength':
      return { once: record + 4, each: 4 }
    case 'minProperties':
    case 'maxProperties':
    case 'additionalProperties':
      return { once: record + 4, each: MEMBERS }
    default:
      return { once: record + 1, each: 0 }
  }
}

/** Values that a comparison with this one may read. */
function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return 4 + sum(Object.values(value).map(sizeOf))
}

function sum(numbers: number[]): number {
  return numbers.reduce((all, one) => all + one, 0)
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
