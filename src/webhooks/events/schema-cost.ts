import { ApiError } from '../../core/errors.ts'

/**
 * An upper bound of the cost of checking data against a schema, in steps of some nanoseconds. A schema is a program
 * that strangers write and this process runs; all other requests wait while one runs.
 */
interface Cost {
  /** For values that occur once: the data itself, and its named members. */
  once: number
  /** For each value that can occur many times: items, and members of arbitrary names. */
  each: number
  /** The number of compiled keywords. */
  code: number
}

/**
 * Most steps per repeated value: data of 256 KiB may hold 131,072 values, so this bounds a check to a tenth of a second
 * or two.
 */
export const MOST_EACH = 500
/** Most steps and keywords of a whole schema. */
export const MOST_CODE = 1_500

/** The cost of the error record of a failed alternative, which is written even where another alternative fits. */
const RECORD = 15
/** The cost of iterating over the members of an object, by value. */
const MEMBERS = 60

type Schema = { readonly [keyword: string]: unknown }

/** Keywords that check one value against all of their subschemas, and may accept it although some fail. */
const ALTERNATIVES = ['anyOf', 'oneOf', 'not']

/**
 * @param schema a schema that its meta-schema allows
 * @throws ApiError VALIDATION_FAILED where checking data against it could delay other requests
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
  // Many values are in one place, or divided among several: the sum over places is at most the most expensive place.
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
    // Each of many values costs its own check, or the checks of the values in it.
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
    // These read the whole text or all members, and cost as much as many values.
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

/** The number of values that a comparison with this one may read. */
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
