import { cpuStopwatch, type Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'

/** Values of a sample; an event may have sixteen times as many. */
export const VALUES = 8_192
/**
 * Longest check of the sample: a longer one would take seconds with the largest event, far more than its computed cost.
 */
const LONGEST: Millis = 250

type Schema = { readonly [keyword: string]: unknown }

/**
 * Measures a schema with data that has many values wherever the schema allows many, in case the computed cost is wrong.
 * @param check checks data against the schema
 * @throws ApiError VALIDATION_FAILED where even the faster of two runs takes too long
 */
export function refuseSlow(schema: object, check: (data: unknown) => void): void {
  const sample = sampleOf(schema, { values: VALUES })
  const times = [1, 2].map(() => {
    const taken = cpuStopwatch()
    check(sample)
    return taken()
  })
  if (Math.min(...times) > LONGEST)
    throw new ApiError('VALIDATION_FAILED', { field: 'schema', reason: 'too_costly' })
}

/** @param left how many more values may be created */
export function sampleOf(schema: unknown, left: { values: number }): unknown {
  const parts = partsOf(schema)
  const named = parts.flatMap(({ properties }) => Object.entries((properties ?? {}) as Schema))
  const object = Object.fromEntries(named.map(([name, member]) => [name, sampleOf(member, left)]))
  const items = parts.find((part) => part.items !== undefined)?.items
  const others = parts.find((part) => part.additionalProperties !== undefined)?.additionalProperties
  if (items !== undefined && named.length === 0) return many(items, left)
  if (others === undefined) return object
  return { ...object, ...Object.fromEntries(many(others, left).map((value, index) => [`k${index}`, value])) }
}

/** One value of the schema, then `left.values` values of varied types. */
function many(schema: unknown, left: { values: number }): unknown[] {
  const kinds = [1, '', true, null, {}, []]
  const first = sampleOf(schema, left)
  const count = left.values
  left.values = 0
  return [first, ...Array.from({ length: count }, (_, index) => kinds[index % kinds.length])]
}

/** A schema, and its subschemas for the same value. */
function partsOf(schema: unknown): Schema[] {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return []
  const { allOf, anyOf, oneOf, not } = schema as Schema
  return [schema as Schema, ...[allOf, anyOf, oneOf, not].flat().flatMap(partsOf)]
}
