import type { FastifyRequest } from 'fastify'
import { createSymbolProperty } from '../../core/symbol-property.ts'
import type { LongestItem } from './read-json.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the handler needs the source text of a JSON body beside its value. */
    keepsText?: boolean
    /** The longest list item; longer items of a large body are refused one by one, and the others accepted. */
    longestItem?: LongestItem
  }
}

/** The source of a parsed body. */
interface SourceText {
  text: string
  /** The source texts of the items of its large lists, by the list's name. */
  items: ReadonlyMap<string, string[]>
}

const texts = createSymbolProperty<FastifyRequest, SourceText>()

/** Keeps the source text of a body where its route needs it. */
export function keepText(request: FastifyRequest, written: SourceText): void {
  if (request.routeOptions.config.keepsText) texts.set(request, written)
}

/** The source text of a body; undefined where its route does not need it. */
export function keptText(request: FastifyRequest): string | undefined {
  return texts.of(request)?.text
}

/** The source texts of the items of a list in the JSON body. */
export function itemTextsOf(request: FastifyRequest, list: string): string[] {
  const kept = texts.of(request)?.items.get(list)
  return kept ?? itemTexts(memberTexts(textOf(request)).get(list) as string)
}

/** The source text of the JSON body. */
export function textOf(request: FastifyRequest): string {
  return keptText(request) ?? JSON.stringify(request.body)
}

/*
 * Data of organizations is passed on as written: parsing and serializing would change 64-bit integers, 1.50 and 1e999.
 * The functions below navigate a text that `JSON.parse` has accepted.
 */

/** The source texts of an object's members, by name; the last one of equal names, as in `JSON.parse`. */
export function memberTexts(text: string): Map<string, string> {
  const members = new Map<string, string>()
  for (let at = skipSpace(text, skipSpace(text, 0) + 1); text.charAt(at) !== '}'; ) {
    const nameEnd = endOfString(text, at)
    const start = skipSpace(text, skipSpace(text, nameEnd) + 1)
    const end = endOfValue(text, start)
    members.set(JSON.parse(text.slice(at, nameEnd)) as string, text.slice(start, end))
    at = skipComma(text, end)
  }
  return members
}

/** The source texts of a list's items. */
export function itemTexts(text: string): string[] {
  const items: string[] = []
  for (let at = skipSpace(text, skipSpace(text, 0) + 1); text.charAt(at) !== ']'; ) {
    const end = endOfValue(text, at)
    items.push(text.slice(at, end))
    at = skipComma(text, end)
  }
  return items
}

/** A part of a JSON text that parsers interpret differently. */
interface Ambiguity {
  /** The dotted path. */
  field: string
  reason: 'duplicate_member' | 'number_out_of_range'
}

/** The first duplicate member, or number outside the range of a double; undefined where there is none. */
export function findAmbiguity(text: string): Ambiguity | undefined {
  let at = 0

  function value(path: string): Ambiguity | undefined {
    at = skipSpace(text, at)
    const first = text.charAt(at)
    if (first === '{') return object(path)
    if (first === '[') return list(path)
    const start = at
    at = endOfValue(text, start)
    if (first === '"' || Number.isFinite(Number(text.slice(start, at)))) return undefined
    // Only numbers begin with a digit or a minus; true, false and null are in range.
    return /^[-\d]/.test(first) ? { field: path, reason: 'number_out_of_range' } : undefined
  }

  function object(path: string): Ambiguity | undefined {
    const names = new Set<string>()
    at = skipSpace(text, at + 1)
    while (text.charAt(at) !== '}') {
      const end = endOfString(text, at)
      const written = text.slice(at + 1, end - 1)
      const name = written.includes('\\') ? (JSON.parse(`"${written}"`) as string) : written
      const field = path === '' ? name : `${path}.${name}`
      if (names.has(name)) return { field, reason: 'duplicate_member' }
      names.add(name)
      at = skipSpace(text, end) + 1
      const found = value(field)
      if (found !== undefined) return found
      at = skipComma(text, at)
    }
    at += 1
    return undefined
  }

  function list(path: string): Ambiguity | undefined {
    at = skipSpace(text, at + 1)
    for (let index = 0; text.charAt(at) !== ']'; index += 1) {
      const found = value(path === '' ? String(index) : `${path}.${index}`)
      if (found !== undefined) return found
      at = skipComma(text, at)
    }
    at += 1
    return undefined
  }

  return value('')
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) <= 0x20) at += 1
  return at
}

function skipComma(text: string, from: number): number {
  const at = skipSpace(text, from)
  return text.charAt(at) === ',' ? skipSpace(text, at + 1) : at
}

/** The index after the closing quote of the string that begins at `start`. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; ) {
    const quote = text.indexOf('"', at)
    let before = quote - 1
    while (text.charAt(before) === '\\') before -= 1
    // A quote is escaped by an odd number of backslashes before it.
    if ((quote - before) % 2 === 1) return quote + 1
    at = quote + 1
  }
}

function endOfValue(text: string, start: number): number {
  let depth = 0
  let at = start
  for (;;) {
    const code = text.charCodeAt(at)
    if (code === 0x22) {
      at = endOfString(text, at)
      if (depth === 0) return at
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1
      at += 1
    } else if (code === 0x7d || code === 0x5d) {
      // The end of the container of a number, or of the value itself.
      if (depth === 0) return at
      depth -= 1
      at += 1
      if (depth === 0) return at
    } else if (depth === 0 && (code === 0x2c || code <= 0x20 || Number.isNaN(code))) return at
    else at += 1
  }
}
