import type { FastifyRequest } from 'fastify'
import { createSymbolProperty } from '../../core/symbol-property.ts'
import type { LongestItem } from './read-json.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the handler needs the text of a JSON body beside what it was read as. */
    keepsText?: boolean
    /** How long the items of its lists may be, where some of a large body may be refused and the others taken. */
    longestItem?: LongestItem
  }
}

/** What a body was read from. */
interface Written {
  text: string
  /** The texts of the items of its large lists, by the name of the list. */
  items: ReadonlyMap<string, string[]>
}

const texts = createSymbolProperty<FastifyRequest, Written>()

/** Keeps the text of a body for a route that asks for it. */
export function keepText(request: FastifyRequest, written: Written): void {
  if (request.routeOptions.config.keepsText) texts.set(request, written)
}

/** The text of a body, where its route keeps it. */
export function keptText(request: FastifyRequest): string | undefined {
  return texts.of(request)?.text
}

/** The texts of the items of a list of the JSON body of a request whose route keeps it. */
export function itemTextsOf(request: FastifyRequest, list: string): string[] {
  const kept = texts.of(request)?.items.get(list)
  return kept ?? itemTexts(memberTexts(textOf(request)).get(list) as string)
}

/** The text of the JSON body of a request whose route keeps it. */
export function textOf(request: FastifyRequest): string {
  return keptText(request) ?? JSON.stringify(request.body)
}

/*
 * What is passed on to others is passed on as it was written: read into numbers and written again, 64-bit integers, 1.50
 * and 1e999 would be others. The functions below find their way in a text that `JSON.parse` has read before.
 */

/** The texts of an object's members, by name; of several with one name the last, as `JSON.parse` reads it. */
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

/** The texts of a list's items. */
export function itemTexts(text: string): string[] {
  const items: string[] = []
  for (let at = skipSpace(text, skipSpace(text, 0) + 1); text.charAt(at) !== ']'; ) {
    const end = endOfValue(text, at)
    items.push(text.slice(at, end))
    at = skipComma(text, end)
  }
  return items
}

/** Something that readers of JSON read differently. */
interface Ambiguity {
  /** Dotted. */
  field: string
  reason: 'duplicate_member' | 'number_out_of_range'
}

/** The first member that there is twice, or number that is larger than any that most readers know. */
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
    // true, false and null are no numbers, and not too large.
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

/** Where a text in quotes that begins at `start` has ended. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; ) {
    const quote = text.indexOf('"', at)
    let before = quote - 1
    while (text.charAt(before) === '\\') before -= 1
    // An even number of backslashes before it are escaped ones.
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
      // The end of what holds a number, or of the value itself.
      if (depth === 0) return at
      depth -= 1
      at += 1
      if (depth === 0) return at
    } else if (depth === 0 && (code === 0x2c || code <= 0x20 || Number.isNaN(code))) return at
    else at += 1
  }
}
