import { ApiError } from '../../core/errors.ts'

/** One comparison of a filter: `userName eq "ada"`. */
export interface Comparison {
  /** In lower case, without the schema: `emails.value`. */
  path: string
  value: string | boolean | number | null
}

/** Comparisons that all must hold. */
export type Filter = Comparison[]

/** The target of an operation: `emails[type eq "work"].value`. */
export interface AttributePath {
  /** In lower case, without the schema; attributes of foreign schemas keep it. */
  attribute: string
  filter: Filter | undefined
  /** In lower case; `value` of `emails.value`. */
  sub: string | undefined
}

/** Longest filter or path, in UTF-16 units, and its comparisons. */
const LONGEST = 2_000
const MOST_COMPARISONS = 10

const OWN_SCHEMAS = [
  'urn:ietf:params:scim:schemas:core:2.0:user',
  'urn:ietf:params:scim:schemas:core:2.0:group',
]

type Reason = 'invalid_filter' | 'invalid_path'

/**
 * Reads a filter (RFC 7644 3.4.2.2): comparisons by `eq`, joined by `and`, also in brackets after an attribute.
 * @throws ApiError VALIDATION_FAILED `invalid_filter` for any other
 */
export function parseFilter(text: string): Filter {
  const reader = createReader(text, 'invalid_filter', 'filter')
  const filter = readComparisons(reader, '')
  reader.mustEnd()
  return filter
}

/**
 * Reads the path of an operation (RFC 7644 3.5.2).
 * @throws ApiError VALIDATION_FAILED `invalid_path`
 */
export function parsePath(text: string): AttributePath {
  const reader = createReader(text, 'invalid_path', 'path')
  const name = withoutSchema(reader.word())
  if (name.startsWith('urn:')) return { attribute: name, filter: undefined, sub: undefined }
  const [attribute = '', sub, ...more] = name.split('.')
  if (attribute === '' || sub === '' || more.length > 0) throw reader.refusal()
  if (!reader.take('[')) {
    reader.mustEnd()
    return { attribute, filter: undefined, sub }
  }
  if (sub !== undefined) throw reader.refusal()
  const filter = readComparisons(reader, '')
  if (!reader.take(']')) throw reader.refusal()
  if (!reader.take('.')) {
    reader.mustEnd()
    return { attribute, filter, sub: undefined }
  }
  const inner = reader.word()
  reader.mustEnd()
  return { attribute, filter, sub: inner }
}

type Reader = ReturnType<typeof createReader>

/** @param within the attribute before the brackets, with a dot; '' outside of brackets */
function readComparisons(reader: Reader, within: string): Filter {
  const read: Filter = []
  do {
    const name = withoutSchema(reader.word())
    if (within === '' && reader.take('[')) {
      read.push(...readComparisons(reader, `${name}.`))
      if (!reader.take(']')) throw reader.refusal()
    } else {
      if (reader.word() !== 'eq') throw reader.refusal()
      read.push({ path: `${within}${name}`, value: reader.value() })
    }
    if (read.length > MOST_COMPARISONS) throw reader.refusal()
  } while (reader.takeWord('and'))
  return read
}

function withoutSchema(name: string): string {
  const schema = OWN_SCHEMAS.find((one) => name.startsWith(`${one}:`))
  return schema === undefined ? name : name.slice(schema.length + 1)
}

/** Reads a text from left to right, each character once. */
function createReader(text: string, reason: Reason, field: string) {
  let at = 0
  const refusal = () => new ApiError('VALIDATION_FAILED', { field, value: text.slice(0, 256), reason })
  if (text.length > LONGEST) throw refusal()

  function skipSpaces() {
    while (text[at] === ' ') at += 1
  }
  function end(): number {
    let last = at
    while (last < text.length && isOfWord(text.charCodeAt(last))) last += 1
    return last
  }
  function word(): string {
    skipSpaces()
    const last = end()
    if (last === at) throw refusal()
    const read = text.slice(at, last)
    at = last
    return read.toLowerCase()
  }
  return {
    refusal,
    /** A name, an operator or a literal, in lower case. */
    word,
    take(sign: '[' | ']' | '.'): boolean {
      skipSpaces()
      if (text[at] !== sign) return false
      at += 1
      return true
    },
    takeWord(expected: string): boolean {
      skipSpaces()
      const last = end()
      if (text.slice(at, last).toLowerCase() !== expected) return false
      at = last
      return true
    },
    value(): Comparison['value'] {
      skipSpaces()
      const literal = text[at] === '"' ? quoted() : word()
      const read = parse(literal)
      // Neither database stores such text.
      if (typeof read === 'string' && (read.includes('\0') || !read.isWellFormed())) throw refusal()
      return read
    },
    mustEnd(): void {
      skipSpaces()
      if (at < text.length) throw refusal()
    },
  }

  function parse(literal: string): Comparison['value'] {
    try {
      return JSON.parse(literal) as Comparison['value']
    } catch {
      throw refusal()
    }
  }
  function quoted(): string {
    const from = at
    for (at += 1; at < text.length && text[at] !== '"'; at += 1) if (text[at] === '\\') at += 1
    at += 1
    if (at > text.length) throw refusal()
    return text.slice(from, at)
  }
}

/** Letters, digits and `$ - . : _`. */
function isOfWord(code: number): boolean {
  const isLetter = (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
  const isDigit = code >= 0x30 && code <= 0x39
  return (
    isLetter || isDigit || code === 0x24 || code === 0x2d || code === 0x2e || code === 0x3a || code === 0x5f
  )
}
