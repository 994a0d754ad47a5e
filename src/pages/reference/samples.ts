import { type Document, resolve, type Schema } from './document.ts'

/** The part of an example id behind its prefix. */
const UUID = '0198c1f2-8a4e-7b3c-9d21-5f0e7c6a1b42'
const MOMENT = '2026-01-01T00:00:00.000Z'
/** The sample of a text without a format. */
const UNKNOWN = '…'
/** Levels of a value; deeper ones are left empty. */
const DEEPEST = 7

/** Samples by name for members whose schema has only the type string. */
const TEXTS: Record<string, string> = {
  actorId: `acc_${UUID}`,
  address: '203.0.113.7',
  createdBy: `acc_${UUID}`,
  decidedBy: `acc_${UUID}`,
  description: 'Purpose',
  email: 'ada@example.com',
  events: 'order.paid',
  eventType: 'order.paid',
  firstName: 'Ada',
  inviterId: `acc_${UUID}`,
  ip: '203.0.113.7',
  lastName: 'Lovelace',
  mediaType: 'text/plain',
  method: 'POST',
  name: 'Example',
  nextCursor: 'eyJhIjoxfQ',
  password: 'correct horse battery staple',
  requestId: `req_${UUID}`,
  role: 'member',
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  text: 'Some text.',
  to: 'ada@example.com',
  userAgent: 'Mozilla/5.0',
  version: '0.1.0',
}

/** The place of a sample. */
interface Place {
  /** Name of the member or parameter. */
  name?: string | undefined
  /** Its description, from which the prefix of an id is read. */
  words?: string | undefined
  depth?: number
  /** Whether optional members are included: in answers, not in requests. */
  isWhole?: boolean
}

/** A sample value of a schema: its own example, or one made from its type and bounds. */
export function sampleOf(given: Schema | undefined, document: Document, place: Place = {}): unknown {
  const schema = resolve(given, document)
  const { name, depth = 0, isWhole = false } = place
  const words = schema.description ?? place.words
  const {
    examples,
    default: usual,
    const: fixed,
    enum: values,
    anyOf,
    oneOf,
    items,
    properties = {},
  } = schema
  const own = examples?.[0] ?? fixed ?? usual ?? values?.[0]
  if (own !== undefined) return own
  const inner = (one: Schema | undefined, called = name, said = words) =>
    sampleOf(one, document, { name: called, words: said, depth: depth + 1, isWhole })
  const [first, ...others] = anyOf ?? oneOf ?? []
  if (first !== undefined) {
    const isNullable = others.some((one) => one.type === 'null')
    // An example shows success, and null rather than a text without meaning.
    if (isNullable && /error|failure/i.test(name ?? '')) return null
    const value = inner(first)
    return isNullable && value === UNKNOWN ? null : value
  }
  const [type] = [schema.type ?? 'object'].flat()
  if (type === 'array') return depth > DEEPEST ? [] : [inner(items)]
  if (type === 'string') return textOf(schema, name, words)
  if (type === 'boolean') return true
  if (type === 'null') return null
  if (type !== 'object') return Math.min(schema.maximum ?? 1, Math.max(schema.minimum ?? 1, 1))
  if (depth > DEEPEST) return {}
  const all = Object.entries(properties)
  const needed = all.filter(([one]) => isWhole || schema.required?.includes(one))
  const wanted = needed.length < (schema.minProperties ?? 0) ? all.slice(0, schema.minProperties) : needed
  return Object.fromEntries(wanted.map(([one, its]) => [one, inner(its, one, '')]))
}

function textOf({ format = '', pattern = '' }: Schema, name = '', words = ''): string {
  const [, prefix] = /\b([a-z]{3})_(?![a-z])/.exec(words) ?? /^\^\(([a-z]{3})_\)\?/.exec(pattern) ?? []
  if (prefix !== undefined) return `${prefix}_${UUID}`
  if (format === 'date-time') return MOMENT
  if (format === 'email') return 'ada@example.com'
  // An address to return to begins with one of the allowed origins.
  const [, origin] = /^\^\((https?:\/\/[^|)]*)/.exec(pattern) ?? []
  if (origin !== undefined) return `${origin.replaceAll('\\', '')}/`
  if (/(^|[a-z])ur[il]$/i.test(name)) return 'https://example.com/'
  return (Object.hasOwn(TEXTS, name) ? TEXTS[name] : undefined) ?? UNKNOWN
}
